import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Client {
    /// Sends a Foundation request under all policies of the client, as a replacement for `URLSession.data(for:)`.
    ///
    /// ```swift
    /// let (data, response) = try await client.data(for: urlRequest)
    /// ```
    ///
    /// The client's header, authentication, redirects, retries and cookies apply as for any other request. Foundation's
    /// cache and cookie storage aren't used.
    /// On Linux, `URLRequest` is in FoundationNetworking.
    ///
    /// - Returns: The body and the response with any status that ``Configuration/validation`` accepts.
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let response = try await response(for: PreparedRequest(request))
        return (response.content, try response.head.httpURLResponse())
    }
}
