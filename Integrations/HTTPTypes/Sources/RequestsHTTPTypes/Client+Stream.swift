import Foundation
import HTTPTypes
import RequestsClient

extension Client {
    /// Sends an `HTTPRequest` with all policies of the client, and returns the response before its body has arrived.
    ///
    /// ```swift
    /// let (response, body) = try await client.stream(httpRequest, body: .file(photo))
    /// for try await chunk in body { show(chunk) }
    /// let trailers = try body.trailerFields()
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The body of the request: bytes, a file, a stream or chunks. Default: none.
    /// - Returns: The response with any status, and its body, which can be read only once.
    /// - Throws: `RequestError` if the request or the response can't be converted unchanged, and the errors of
    ///   `stream(_:)`.
    public func stream(
        _ request: HTTPRequest,
        body: RequestBody = .none
    ) async throws -> (HTTPResponse, ResponseBody) {
        let response = try await stream(PreparedRequest(request, body: body))
        return (try response.head.httpResponse(), response.content)
    }
}

extension ResponseBody {
    /// Returns the trailer fields after the body (RFC 9110 §6.5). `nil` until the whole body was read, and if there are
    /// none.
    ///
    /// - Throws: `RequestError` if a field can't be represented, because `HTTPField` replaces control characters with
    ///   spaces.
    public func trailerFields() throws(RequestError) -> HTTPFields? {
        guard let trailers else { return nil }
        return try trailers.httpFields()
    }
}

extension RequestBody {
    /// A body of chunks with an unknown total length, and trailer fields that are sent after the last chunk (RFC 9110
    /// §6.5).
    ///
    /// A transport without the capability `requestTrailers` rejects the request before it sends anything.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. The next chunk is requested when the last one was sent.
    ///   - isReplayable: Whether the sequence can be iterated again, for a retry or a redirect. Default: `false`.
    ///   - trailerFields: Returns the trailer fields. Called after the last chunk was read. If it throws, the attempt
    ///     fails.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        isReplayable: Bool = false,
        trailerFields: @escaping @Sendable () throws -> HTTPFields
    ) -> RequestBody where Chunks.Element: DataProtocol {
        .chunks(chunks, isReplayable: isReplayable, trailers: { try Header(trailerFields()) })
    }
}
