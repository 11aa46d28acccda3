import Foundation
import Requests

extension StubTransport {
    /// How a stub answers a request: with a response, with an error, at once or later.
    ///
    /// A reply to a `HEAD` request keeps its header and has no body.
    public struct Reply: Sendable {
        let answer: @Sendable (PreparedRequest) async throws -> Response<ResponseBody>

        /// Creates a reply that is made of the request.
        ///
        /// - Parameter answer: Gives the response, or throws what the exchange fails with.
        public init(_ answer: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>) {
            self.answer = answer
        }
    }
}

extension StubTransport.Reply {
    /// A response of bytes.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header; empty by default.
    ///   - data: The body; none by default.
    public static func reply(_ statusCode: Int, header: Header = .empty, data: Data = Data()) -> Self {
        Self { request in
            try .stub(statusCode, header: header, body: request.method == .head ? Data() : data, for: request)
        }
    }

    /// A response of text in UTF-8, with `Content-Type: text/plain` unless `header` says otherwise.
    public static func reply(_ statusCode: Int, header: Header = .empty, text: String) -> Self {
        reply(statusCode, header: header.defaulting(to: .plainText), data: Data(text.utf8))
    }

    /// A response of a value as JSON, with `Content-Type: application/json` unless `header` says otherwise.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header; empty by default.
    ///   - value: The value, encoded at once. Where that fails, its error is what the exchange fails with.
    ///   - coders: The coders of the API; plain ones by default.
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

    /// A response of a file's bytes, read when it is given. `Content-Type` is what `header` says.
    ///
    /// Where the file cannot be read, Foundation's error is what the exchange fails with.
    public static func reply(_ statusCode: Int, header: Header = .empty, file: URL) -> Self {
        Self { request in
            try await reply(statusCode, header: header, data: Data(contentsOf: file)).answer(request)
        }
    }

    /// A response whose body comes in pieces, each as it is asked for.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header; empty by default.
    ///   - chunks: The pieces.
    ///   - failure: What the body fails with after the last piece; `nil`, the default, for a body that ends well.
    public static func reply(
        _ statusCode: Int,
        header: Header = .empty,
        chunks: [Data],
        failure: TransportError.Code? = nil
    ) -> Self {
        Self { request in
            guard request.method != .head else { return try .stub(statusCode, header: header, for: request) }
            let pieces = StubChunks(pieces: chunks, error: failure.map { .stubbed($0, in: .receiving, of: request) })
            return try .stub(statusCode, header: header, content: ResponseBody(pieces), for: request)
        }
    }

    /// An exchange that fails.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - phase: How far the exchange had come, which decides whether a retry is safe; `nil`, the default, for where
    ///     such a fault mostly happens.
    public static func failure(_ code: TransportError.Code, phase: TransportError.Phase? = nil) -> Self {
        Self { request in throw TransportError.stubbed(code, in: phase ?? code.usualPhase, of: request) }
    }

    /// Returns the reply, given after a delay. One that is not shorter than the request's total or idle timeout, which is
    /// 60 seconds where nobody sets it, ends with that timeout, as over a connection.
    ///
    /// - Parameters:
    ///   - delay: How long it takes.
    ///   - clock: The clock that is waited on; a test injects one that it moves itself.
    public func delayed(by delay: Duration, on clock: any Clock<Duration> = ContinuousClock()) -> Self {
        Self { request in
            let timeouts = request.options.timeouts
            let deadlines = Deadlines(timeouts, start: 0)
            guard let end = deadlines.next, .nanoseconds(end) <= delay, let limit = deadlines.reached(at: end) else {
                try await clock.sleep(for: delay)
                return try await answer(request)
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
