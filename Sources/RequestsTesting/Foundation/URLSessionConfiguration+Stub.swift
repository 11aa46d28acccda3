#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// Returns an ephemeral configuration whose sessions send every request over a transport, such as a stub, a
    /// cassette or a fault plan.
    ///
    /// ```swift
    /// let session = URLSession(configuration: .stubbed(by: StubTransport(routes: [.get("/users/{id}")])))
    /// ```
    ///
    /// Sessions with other configurations aren't affected. Limits of Foundation:
    ///
    /// - Redirects and authentication challenges are delivered as responses. The session doesn't act on them.
    /// - On Linux, the response body is delivered at once, and the transport doesn't see the data or the file of an
    ///   upload task. The body of a `URLRequest` is always seen.
    /// - Foundation joins and reorders header fields. Trailers and informational responses aren't delivered.
    /// - The transport stays in memory until the process ends, because Foundation makes the instances of `URLProtocol`.
    ///
    /// - Parameter transport: The transport. Its errors become `URLError`s, with the original one in
    ///   `NSUnderlyingErrorKey`.
    public static func stubbed(by transport: any Transport) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubbedTransports.add(transport)]
        return configuration
    }
}
#endif
