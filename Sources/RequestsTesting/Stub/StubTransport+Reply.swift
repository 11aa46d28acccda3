import Requests
import RequestsClient

extension StubTransport {
    /// A stub's reply to a request: a response or an error, immediate or delayed.
    ///
    /// The response is received as over a real transport. That to a `HEAD` request has the same header but no body, and
    /// a body with the status 204 or 304 fails with `TransportError.Code.malformed`. A body is decoded if this process
    /// can decode its `Content-Encoding`, unless the request has its own `Accept-Encoding`.
    public struct Reply: Sendable {
        let respond: @Sendable (Match) async throws -> Response<ResponseBody>

        /// Creates a reply from a closure.
        ///
        /// - Parameter respond: Returns the response to the request. The transport rethrows its errors.
        public init(_ respond: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>) {
            self.init(matching: { try await respond($0.request) })
        }

        /// A reply from code that may wait, and that may be the user's.
        init(matching respond: @escaping @Sendable (Match) async throws -> Response<ResponseBody>) {
            self.respond = { match in
                // The exchange began on its sender's thread, which this code may keep busy.
                let task = Task { try await respond(match) }
                return try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
            }
        }

        /// A reply from code of this library, which waits only for the exchange.
        init(directly respond: @escaping @Sendable (Match) async throws -> Response<ResponseBody>) {
            self.respond = respond
        }
    }
}

extension StubTransport.Reply {
    /// A reply from a closure, which receives the request, the segments that its route captured, and the number of the
    /// call.
    ///
    /// ```swift
    /// let user = StubTransport.Route.get(
    ///     "/users/{id}",
    ///     .respond { match in
    ///         match.call == 1
    ///             ? .reply(503)
    ///             : .reply(200, jsonText: #"{"id": \#(try match["id"])}"#)
    ///     }
    /// )
    /// ```
    ///
    /// - Parameter respond: Returns the reply. The transport rethrows its errors.
    public static func respond(
        _ respond: @escaping @Sendable (StubTransport.Match) async throws -> StubTransport.Reply
    ) -> Self { Self(matching: { match in try await respond(match).respond(match) }) }

    /// A response with bytes as its body.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header. Default: empty.
    ///   - data: The body. Default: empty.
    public static func reply(_ statusCode: Int, header: Header = .empty, data: Data = Data()) -> Self {
        Self(directly: { try .stub(statusCode, header: header, body: data, for: $0.request) })
    }

    /// A response with text in UTF-8. `Content-Type` is `text/plain; charset=utf-8` unless `header` sets it.
    public static func reply(_ statusCode: Int, header: Header = .empty, text: String) -> Self {
        reply(statusCode, header: header.defaulting(to: .plainText.forUTF8()), data: Data(text.utf8))
    }

    /// A response with JSON text, sent unchanged. `Content-Type` is `application/json` unless `header` sets it.
    public static func reply(_ statusCode: Int, header: Header = .empty, jsonText: String) -> Self {
        reply(statusCode, header: header.defaulting(to: .json), data: Data(jsonText.utf8))
    }

    /// A response with a value encoded as JSON. `Content-Type` is `application/json` unless `header` sets it.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header. Default: empty.
    ///   - value: The value, encoded immediately. If encoding throws, the transport throws the error.
    ///   - coders: The coders of the API. Default: `JSONCoders.standard`.
    public static func reply(
        _ statusCode: Int,
        header: Header = .empty,
        json value: some Encodable,
        coders: JSONCoders = .standard
    ) -> Self {
        switch Result(catching: { try coders.encoder.encode(value) }) {
        case .success(let data): reply(statusCode, header: header.defaulting(to: .json), data: data)
        case .failure(let error): Self(directly: { _ in throw error })
        }
    }

    /// A response with the content of a file, which is read for each request. `Content-Type` isn't set unless `header`
    /// does.
    ///
    /// If the file can't be read, the transport throws Foundation's error.
    public static func reply(_ statusCode: Int, header: Header = .empty, file: URL) -> Self {
        Self(directly: { try .stub(statusCode, header: header, body: Data(contentsOf: file), for: $0.request) })
    }

    /// A response whose body is read chunk by chunk.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header. Default: empty.
    ///   - chunks: The chunks.
    ///   - interval: The wait before each chunk but the first, measured by the stub's clock. Default: zero.
    ///   - trailers: The trailer fields after the body. Default: `nil`, none.
    ///   - failure: The code of an error after the last chunk. Default: `nil`, which means a complete body.
    public static func reply(
        _ statusCode: Int,
        header: Header = .empty,
        chunks: [Data],
        every interval: Duration = .zero,
        trailers: Header? = nil,
        failure: TransportError.Code? = nil
    ) -> Self {
        Self(directly: { match in
            let request = match.request
            let error = failure.map { TransportError.stubbed($0, in: .receiving, of: request) }
            let body = ProducedChunks(0) { index in
                guard index < chunks.count else {
                    if let error { throw error }
                    return nil
                }
                if index > 0 { try await match.exchange.wait(for: interval) }
                defer { index += 1 }
                return chunks[index]
            }
            return try Response(
                status: statusCode,
                header: header,
                content: ResponseBody(body, trailers: { trailers }),
                for: request
            )
        })
    }

    /// A redirect response with an empty body.
    ///
    /// - Parameters:
    ///   - statusCode: The status code. Default: 302.
    ///   - location: The new URL, absolute or relative to the request's URL.
    public static func redirect(_ statusCode: Int = 302, to location: String) -> Self {
        reply(statusCode, header: [Field(name: .location, value: location)])
    }

    /// No response. The request fails with its total or idle timeout (default: 60 seconds), measured by the stub's
    /// clock.
    public static let never = Self.reply(200).delayed(by: Timeouts.unlimited)

    /// Returns the reply with an informational response before it, such as `103 Early Hints` (RFC 9110 §15.2).
    ///
    /// Only the request's observer receives the informational response.
    ///
    /// - Parameters:
    ///   - statusCode: The status code, from 100 to 199 except 101.
    ///   - header: The header. Default: empty.
    public func preceded(by statusCode: Int, header: Header = .empty) -> Self {
        Self(directly: { match in
            let head = try ResponseHead(statusCode: statusCode, header: header, url: match.request.url)
            try match.exchange.respond(with: head)
            return try await respond(match)
        })
    }

    /// Returns the reply with a delay before it.
    ///
    /// A delay that isn't shorter than the request's total or idle timeout (default: 60 seconds) makes the request time
    /// out.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - clock: The clock that measures the delay. Default: `nil`, which means the stub's clock.
    public func delayed(by delay: Duration, on clock: (any Clock<Duration>)? = nil) -> Self {
        Self(directly: { match in
            try await match.exchange.wait(for: delay, on: clock)
            return try await respond(match)
        })
    }

    /// What happens in the middle of a response.
    public enum Fault: Hashable, Sendable {
        /// The connection closes, so that the body fails with `TransportError.Code.truncated`.
        case close
        /// Nothing more arrives, so that a timeout ends the request.
        case stall
    }

    /// Returns the reply with a fault after the first bytes of its body.
    ///
    /// ```swift
    /// let export = StubTransport.Route.get(
    ///     "/export",
    ///     .reply(200, text: "id,name").after(bytes: 3, .close),
    ///     then: .reply(200, text: "id,name")
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes that arrive. A shorter body arrives whole, and then the fault happens.
    ///   - fault: What happens then.
    public func after(bytes: Int, _ fault: Fault) -> Self {
        changingBody { chunks, match in
            ProducedChunks(max(bytes, 0)) { left in
                guard left > 0, let chunk = try await chunks.nextChunk() else {
                    chunks.cancel()
                    if fault == .stall { try await match.exchange.wait(for: Timeouts.unlimited) }
                    throw TransportError.stubbed(.truncated, in: .receiving, of: match.request)
                }
                let piece = chunk.prefix(left)
                left -= piece.count
                return piece
            }
        }
    }

    /// Returns the reply with another body.
    func changingBody<State>(
        _ change: @escaping @Sendable (ResponseBody, StubTransport.Match) -> ProducedChunks<State>
    ) -> Self {
        Self(directly: { match in
            var response = try await respond(match)
            let body = response.content
            response.content = ResponseBody(change(body, match), trailers: { body.trailers })
            return response
        })
    }

    /// An error instead of a response.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - phase: The progress of the exchange, which decides whether a retry is safe. Default: `nil`, which means the
    ///     phase in which the error usually happens.
    public static func failure(_ code: TransportError.Code, phase: TransportError.Phase? = nil) -> Self {
        Self(directly: { throw TransportError.stubbed(code, in: phase ?? code.usualPhase, of: $0.request) })
    }
}

extension Header {
    fileprivate func defaulting(to type: MediaType) -> Header {
        contains(.contentType) ? self : Header([.contentType(type)] + self)
    }
}
