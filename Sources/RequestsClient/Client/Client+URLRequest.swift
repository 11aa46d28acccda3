import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Replacements for the methods of `URLSession` that other libraries take as closures. On Linux, `URLRequest` is in
/// FoundationNetworking.
///
/// ```swift
/// let fetch: (URLRequest) async throws -> (Data, URLResponse) = client.data(for:)
/// ```
extension Client {
    /// Sends a Foundation request under all policies of the client, as a replacement for `URLSession.data(for:)`.
    ///
    /// The client's header, authentication, redirects, retries and cookies apply as for any other request. Foundation's
    /// cache and cookie storage aren't used.
    ///
    /// - Returns: The body and an `HTTPURLResponse` with any status that ``Configuration/validation`` accepts.
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        let response = try await response(for: PreparedRequest(request))
        return (response.content, try response.head.httpURLResponse())
    }

    /// Sends a Foundation request and returns the bytes as they arrive, as a replacement for `URLSession.bytes(for:)`.
    ///
    /// - Returns: The bytes and an `HTTPURLResponse` with any status.
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func bytes(
        for request: URLRequest
    ) async throws -> (some AsyncSequence<UInt8, any Error> & Sendable, URLResponse) {
        let response = try await stream(PreparedRequest(request))
        return (ResponseBytes(body: response.content), try response.head.httpURLResponse())
    }
}

/// The bytes of a body.
private struct ResponseBytes: AsyncSequence, Sendable {
    let body: ResponseBody

    func makeAsyncIterator() -> Iterator { Iterator(chunks: body.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: ResponseBody.AsyncIterator
        var chunk = Data().makeIterator()

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            while true {
                if let byte = chunk.next() { return byte }
                guard let data = try await chunks.next() else { return nil }
                chunk = data.makeIterator()
            }
        }
    }
}
