import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Requests

extension HTTPClientRequest {
    /// - Throws: `RequestError` for a body that was already read.
    init(_ request: PreparedRequest, touching clock: IdleClock) throws {
        self.init(url: request.url.text)
        method = NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue)
        for field in request.header { headers.add(name: field.name.rawValue, value: field.value) }
        guard !request.body.isNone else { return }
        let pieces = BodyPieces(reader: try request.body.makeReader(), clock: clock)
        body = .stream(pieces, length: request.body.length.map { .known($0) } ?? .unknown)
    }
}

extension ResponseHead {
    init(_ response: HTTPClientResponse, to request: PreparedRequest) throws {
        var header = Header(response.headers.map { Field(name: Field.Name($0.name), value: $0.value) })
        guard header.reduce(0, { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count }) <= 300 << 10 else {
            throw TransportError.headTooLarge
        }
        if response.isDecoded, response.hasBody(for: request) {
            header.remove(.contentEncoding)
            header.remove(.contentLength)
        }
        try self.init(
            statusCode: Int(response.status.code),
            header: header,
            url: request.url,
            httpVersion: HTTPVersion(major: response.version.major, minor: response.version.minor)
        )
    }
}

extension HTTPClientResponse {
    /// Whether the library undoes the coding. It leaves what the header says of it.
    fileprivate var isDecoded: Bool {
        ["gzip", "deflate"].contains(headers.first(name: "Content-Encoding")?.lowercased())
    }

    fileprivate func hasBody(for request: PreparedRequest) -> Bool {
        request.method != .head && status != .noContent && status != .notModified
    }

    /// The body. Where there is none, the library's decoder takes that for one that was cut.
    func bytes(for request: PreparedRequest) -> Body {
        isDecoded && !hasBody(for: request) ? Body() : body
    }
}

/// The bytes of a request, in pieces that a slow network takes well within the idle timeout.
private struct BodyPieces: AsyncSequence, Sendable {
    let reader: RequestBody.Reader
    let clock: IdleClock

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: RequestBody.Reader
        let clock: IdleClock
        private var rest = Data()

        init(_ pieces: BodyPieces) {
            (reader, clock) = (pieces.reader, pieces.clock)
        }

        mutating func next() async throws -> ByteBuffer? {
            clock.touch()
            if rest.isEmpty {
                do {
                    guard let piece = try await reader.next() else { return nil }
                    rest = piece
                } catch {
                    throw TransportError.sourceFailed(error)
                }
            }
            defer { rest = rest.dropFirst(64 << 10) }
            return ByteBuffer(bytes: rest.prefix(64 << 10))
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}
