import Foundation
import Requests
import RequestsClient

extension StubTransport {
    /// The reply of a stub: a response or an error, immediate or delayed.
    ///
    /// A reply to a `HEAD` request has its header but no body.
    public struct Reply: Sendable {
        let respond: @Sendable (PreparedRequest) async throws -> Response<ResponseBody>

        /// Creates a reply from a closure.
        ///
        /// - Parameter respond: Returns the response to the request. The transport rethrows its errors.
        public init(_ respond: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>) {
            self.respond = respond
        }
    }
}

extension StubTransport.Reply {
    /// A response with bytes as its body.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header. Default: empty.
    ///   - data: The body. Default: empty.
    public static func reply(_ statusCode: Int, header: Header = .empty, data: Data = Data()) -> Self {
        Self { request in
            try .stub(statusCode, header: header, body: request.method == .head ? Data() : data, for: request)
        }
    }

    /// A response with text in UTF-8. `Content-Type` is `text/plain; charset=utf-8` unless `header` sets it.
    public static func reply(_ statusCode: Int, header: Header = .empty, text: String) -> Self {
        reply(statusCode, header: header.defaulting(to: .plainText.forUTF8()), data: Data(text.utf8))
    }

    /// A response with a value as JSON. `Content-Type` is `application/json` unless `header` sets it.
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
        case .failure(let error): Self { _ in throw error }
        }
    }

    /// A response with the bytes of a file, read for each request. `header` sets `Content-Type`.
    ///
    /// If the file can't be read, the transport throws Foundation's error.
    public static func reply(_ statusCode: Int, header: Header = .empty, file: URL) -> Self {
        Self { request in
            try await reply(statusCode, header: header, data: Data(contentsOf: file)).respond(request)
        }
    }

    /// A response whose body is read chunk by chunk.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header. Default: empty.
    ///   - chunks: The chunks.
    ///   - failure: The error after the last chunk. Default: `nil`, for a complete body.
    public static func reply(
        _ statusCode: Int,
        header: Header = .empty,
        chunks: [Data],
        failure: TransportError.Code? = nil
    ) -> Self {
        Self { request in
            guard request.method != .head else { return try .stub(statusCode, header: header, for: request) }
            let body = StubChunks(chunks: chunks, error: failure.map { .stubbed($0, in: .receiving, of: request) })
            return try .stub(statusCode, header: header, content: ResponseBody(body), for: request)
        }
    }

    /// An error instead of a response.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - phase: The progress of the exchange, which decides whether a retry is safe. Default: `nil`, for the phase in
    ///     which the error usually happens.
    public static func failure(_ code: TransportError.Code, phase: TransportError.Phase? = nil) -> Self {
        Self { request in throw TransportError.stubbed(code, in: phase ?? code.usualPhase, of: request) }
    }

    /// Returns the reply with a delay before it.
    ///
    /// If the delay isn't shorter than the request's total or idle timeout, the exchange times out. The default idle
    /// timeout is 60 seconds.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - clock: The clock that measures the delay. Tests can inject a clock that they advance themselves.
    public func delayed(by delay: Duration, on clock: any Clock<Duration> = ContinuousClock()) -> Self {
        Self { request in
            let timeouts = request.options.timeouts
            let deadlines = Deadlines(timeouts, start: 0)
            guard let end = deadlines.next, .nanoseconds(end) <= delay, let limit = deadlines.reached(at: end) else {
                try await clock.sleep(for: delay)
                return try await respond(request)
            }
            try await clock.sleep(for: .nanoseconds(end))
            throw TransportError(
                code: .timedOut(limit),
                message: "\(request): \(TransportError.reason(limit, of: timeouts))",
                phase: .receiving
            )
        }
    }
}

extension Header {
    fileprivate func defaulting(to type: MediaType) -> Header {
        contains(.contentType) ? self : Header([.contentType(type)] + self)
    }
}
