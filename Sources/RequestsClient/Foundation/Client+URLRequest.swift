#if FullFoundation
import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Replacements for the methods of `URLSession` that other libraries take as closures. On Linux, `URLRequest` is in
/// FoundationNetworking.
///
/// ```swift
/// let fetch: (URLRequest) async throws -> (Data, URLResponse) =
///     client.data(for:)
/// ```
extension Client {
    /// Sends a Foundation request under all policies of the client, as a replacement for `URLSession.data(for:)`.
    ///
    /// The client's header, authentication, redirects, retries and cookies apply as for any other request, and its
    /// ``Configuration/validation`` doesn't. Foundation's cache and cookie storage aren't used.
    ///
    /// - Returns: The body and an `HTTPURLResponse` with any status.
    /// - Throws: `URLError`, so that the error handling of other code runs. The error of ``send(_:progress:)`` is its
    ///   underlying error (`NSUnderlyingErrorKey`).
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await throwingURLErrors(for: request.url) {
            let anyStatus = ResponseDecoder.data.with(rules: ResponseRules(accepts: { _ in true }))
            let response = try await runner.response(to: AdjustedRequest(prepared(request), decodedBy: anyStatus))
            return (response.content, try response.head.httpURLResponse())
        }
    }

    /// Sends a Foundation request and returns the bytes as they arrive, as a replacement for `URLSession.bytes(for:)`.
    ///
    /// - Returns: The bytes and an `HTTPURLResponse` with any status. The bytes throw `URLError`, too.
    /// - Throws: `URLError`, as ``data(for:)``.
    public func bytes(
        for request: URLRequest
    ) async throws -> (some AsyncSequence<UInt8, any Error> & Sendable, URLResponse) {
        try await throwingURLErrors(for: request.url) {
            let response = try await stream(prepared(request))
            return (ResponseBytes(url: request.url, body: response.content), try response.head.httpURLResponse())
        }
    }
}

extension Client {
    /// Returns the request of code that was written for `URLSession`.
    ///
    /// Such code expects decoded bodies, so the transport asks for the encodings that it decodes. The service type and
    /// the kind of network are hints, which only some transports understand.
    package func prepared(_ request: URLRequest) throws -> PreparedRequest {
        var prepared = try PreparedRequest(request)
        let codings = prepared.header[.acceptEncoding].map(ASCII.lowercased)
        if codings != "identity", !prepared.header.contains(.range) { prepared.header.remove(.acceptEncoding) }
        if !runner.transport.capabilities.contains(.networkServices) {
            prepared.options.networkServiceType = nil
            prepared.options.allowsCellularAccess = nil
        }
        return prepared
    }
}

private func throwingURLErrors<Value>(
    for url: URL?,
    _ operation: () async throws -> Value
) async throws -> Value {
    do {
        return try await operation()
    } catch {
        throw URLError(describing: error, failing: url)
    }
}

/// The bytes of a body.
private struct ResponseBytes: AsyncSequence, Sendable {
    let url: URL?
    let body: ResponseBody

    func makeAsyncIterator() -> Iterator { Iterator(url: url, chunks: body.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        let url: URL?
        var chunks: ResponseBody.AsyncIterator
        var chunk = Data().makeIterator()

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            while true {
                if let byte = chunk.next() { return byte }
                guard let data = try await throwingURLErrors(for: url, { try await chunks.next() }) else { return nil }
                chunk = data.makeIterator()
            }
        }
    }
}

#if !canImport(Darwin)
extension AsyncSequence where Self: Sendable, Element == UInt8, Failure == any Error {
    /// The lines of the text, as they arrive: Foundation's `lines`, which is missing on Linux.
    ///
    /// Lines end with LF, CR or CRLF, and empty ones are skipped, as by Foundation. Bytes that aren't UTF-8 become
    /// U+FFFD. The sequence throws the errors of the bytes, and `URLError.dataLengthExceedsMaximum` if a line has more
    /// than 1 MiB.
    public var lines: some AsyncSequence<String, any Error> & Sendable { ByteLines(bytes: self) }
}

private struct ByteLines<Bytes: AsyncSequence<UInt8, any Error> & Sendable>: AsyncSequence, Sendable {
    let bytes: Bytes

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var bytes: Bytes.AsyncIterator

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
            var line: [UInt8] = []
            while let byte = try await bytes.next(isolation: actor) {
                if byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
                    guard line.count < 1 << 20 else { throw URLError(.dataLengthExceedsMaximum) }
                    line.append(byte)
                } else if !line.isEmpty {
                    break
                }
            }
            return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
        }
    }
}
#endif
#endif
