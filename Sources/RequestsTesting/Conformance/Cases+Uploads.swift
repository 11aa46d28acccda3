import Foundation
import Requests
import RequestsClient

/// Bodies of requests.
extension TransportConformance.Case {
    static let uploads: [Self] = [
        requestAsItWasBuilt, nothingIsAdded, emptyBodyHasALength, largeUpload, streamOfKnownLength,
        streamOfUnknownLength, streamIsReadOnce, streamThatEndsEarly, streamThatEndsLate, streamThatFails,
        answerBeforeTheEnd, refusedUpload,
    ]

    /// A server that answers with what it got: the request line, the fields, an empty line and the body.
    private static func echo(_ context: TransportConformance.Context) throws -> LoopbackServer {
        try context.serveHTTP { request in
            let fields = request.header.map { "\($0.name.rawValue.lowercased()): \($0.value)\n" }.joined()
            return .init(200, body: Data("\(request.line)\n\(fields)\n".utf8) + request.body)
        }
    }

    private static func upload(
        _ body: RequestBody,
        _ context: TransportConformance.Context
    ) async throws -> (head: [Substring], body: Data) {
        let server = try echo(context)
        let request = try context.request(.post, server, body: body)
        return split(try await context.exchange(request).content)
    }

    private static func split(_ echo: Data) -> (head: [Substring], body: Data) {
        let end = echo.firstRange(of: Data("\n\n".utf8)) ?? echo.endIndex..<echo.endIndex
        return (
            String(decoding: echo[..<end.lowerBound], as: UTF8.self).split(separator: "\n"),
            Data(echo[end.upperBound...])
        )
    }

    /// Method, target, fields and body are on the wire as they were built.
    public static let requestAsItWasBuilt = Self(
        "requestAsItWasBuilt",
        "method, target, fields and body are sent as they were built"
    ) { context in
        for method: HTTPMethod in [.get, .post, .put, .patch, .delete, .options, "PURGE"] {
            let body: RequestBody = [.post, .put, .patch].contains(method) ? .data(Data("hello".utf8)) : .none
            let request = try context.request(
                method,
                echo(context),
                path: "/a%2Fb;c/%C3%A9/?q=1%2B1&q=2&flag",
                header: [Field(name: "X-Probe", value: "a \"b\" \\ c,d;e"), .contentType(.plainText)],
                body: body
            )
            let echo = split(try await context.exchange(request).content)
            try context.expect(
                echo.head.first,
                is: "\(method) /a%2Fb;c/%C3%A9/?q=1%2B1&q=2&flag HTTP/1.1",
                "the request line"
            )
            try context.expect(echo.head.contains("x-probe: a \"b\" \\ c,d;e"), "X-Probe was not sent: \(echo.head)")
            try context.expect(echo.body, is: body.data ?? Data(), "the body")
        }
    }

    /// No field is sent that says something about the caller which the request does not say.
    public static let nothingIsAdded = Self("nothingIsAdded", "no credential, cookie or content type is added") {
        context in
        var names = ["authorization", "proxy-authorization", "cookie", "content-type", "referer", "origin", "expect"]
        var request = try context.request(.post, echo(context), body: .data(Data("hello".utf8)))
        request.header.remove(.contentType)
        let head: [Substring]
        do {
            head = split(try await context.exchange(request).content).head
        } catch let error as TransportError where error.code == .unsupported {
            // A transport that could not keep to it and says so keeps to it.
            names.removeAll { $0 == "content-type" }
            request.header.set(.contentType(.binary))
            head = split(try await context.exchange(request).content).head
        }
        for name in names {
            try context.expect(!head.contains { $0.hasPrefix("\(name):") }, "\(name) was added: \(head)")
        }
        let language = head.first { $0.hasPrefix("accept-language:") } ?? "accept-language: *"
        try context.expect(language, is: "accept-language: *", "the language")
    }

    /// A body that is there and empty says so, and so does none where one is expected (RFC 9110 §8.6).
    public static let emptyBodyHasALength = Self("emptyBodyHasALength", "an empty body has a length of 0") { context in
        for body in [RequestBody.none, .data(Data())] {
            let head = try await upload(body, context).head
            try context.expect(head.contains("content-length: 0"), "there is no Content-Length: 0 for \(body): \(head)")
        }
    }

    /// A body of 16 MiB arrives whole.
    public static let largeUpload = Self("largeUpload", "a body of 16 MiB arrives whole") {
        context in
        let body = pattern(16 << 20)
        let echo = try await upload(.data(body), context)
        try context.expect(echo.body == body, "\(echo.body.count) bytes of \(body.count) arrived, or others")
    }

    /// Runs a case of streams, or sees to it that they are refused before a connection is made.
    static func streamed(
        _ name: String,
        _ claim: String,
        refused: @escaping @Sendable () async throws -> RequestBody = {
            .stream(InputStream(data: Data("hello".utf8)))
        },
        _ body: @escaping @Sendable (TransportConformance.Context) async throws -> Void
    ) -> Self {
        Self(name, claim) { context in
            if context.transport.capabilities.contains(.streamedRequestBodies) { return try await body(context) }
            let server = try context.serve { _ in }
            let request = try await context.request(.post, server, body: refused())
            let error = try await context.expectFailure(.unsupported) { try await context.exchange(request) }
            try context.expect(!error.requestMayHaveBeenProcessed, "the error does not say that nothing was sent")
            try context.expect(server.acceptedConnections, is: 0, "the number of connections")
        }
    }

    /// A stream of known length is sent with its length.
    public static let streamOfKnownLength = streamed(
        "streamOfKnownLength",
        "a stream is sent with its length",
        refused: { .stream(InputStream(data: Data("hello".utf8)), length: 5) }
    ) { context in
        let bytes = pattern(300_000)
        let echo = try await upload(.stream(InputStream(data: bytes), length: 300_000), context)
        try context.expect(echo.head.contains("content-length: 300000"), "the length is missing: \(echo.head)")
        try context.expect(echo.body == bytes, "other bytes arrived")
    }

    /// A stream of unknown length is sent in chunks.
    public static let streamOfUnknownLength = streamed(
        "streamOfUnknownLength",
        "a stream of unknown length is sent in chunks"
    ) { context in
        let bytes = pattern(300_000)
        let echo = try await upload(.stream(InputStream(data: bytes)), context)
        try context.expect(echo.head.contains("transfer-encoding: chunked"), "it is not chunked: \(echo.head)")
        try context.expect(echo.body == bytes, "other bytes arrived")
    }

    /// A stream that was sent cannot be sent again, and nothing is sent in its place.
    public static let streamIsReadOnce = streamed("streamIsReadOnce", "a stream is sent once") { context in
        let server = try echo(context)
        let stream = RequestBody.stream(InputStream(data: Data("hello".utf8)))
        let request = try context.request(.post, server, body: stream)
        _ = try await context.exchange(request)
        do {
            _ = try await context.exchange(request)
        } catch let error as RequestError where error.code == .bodyAlreadyRead {
            return
        }
        throw TransportConformance.Unmet(description: "it was sent twice")
    }

    private static func wrongLength(_ name: String, _ claim: String, stated length: Int64) -> Self {
        streamed(name, claim) { context in
            let server = try echo(context)
            let stream = RequestBody.stream(InputStream(data: pattern(300_000)), length: length)
            let request = try context.request(.post, server, body: stream)
            let error = try await context.expectFailure(.sourceFailed) { try await context.exchange(request) }
            let cause = error.underlying as? RequestError
            try context.expect(cause?.code, is: .bodyLengthMismatch, "the underlying error")
        }
    }

    /// A stream shorter than its length is an error.
    public static let streamThatEndsEarly = wrongLength(
        "streamThatEndsEarly",
        "a stream shorter than its length is an error",
        stated: 400_000
    )

    /// A stream longer than its length is an error.
    public static let streamThatEndsLate = wrongLength(
        "streamThatEndsLate",
        "a stream longer than its length is an error",
        stated: 200_000
    )

    /// A source that fails is an error with its cause.
    public static let streamThatFails = streamed("streamThatFails", "a source that fails is an error") { context in
        let server = try echo(context)
        guard let stream = InputStream(url: URL(filePath: "/nonexistent/source")) else {
            throw TransportConformance.Unmet(description: "there is no stream of a missing file to try")
        }
        let request = try context.request(.post, server, body: .stream(stream))
        let error = try await context.expectFailure(.sourceFailed) { try await context.exchange(request) }
        try context.expect(error.underlying != nil, "the cause is missing")
    }

    /// A response that comes before the body was sent is delivered.
    public static let answerBeforeTheEnd = Self("answerBeforeTheEnd", "an early response is delivered") { context in
        let server = try context.serve { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            // What still comes is read, so that the response is not lost in a reset.
            while !(try connection.read().isEmpty) {}
        }
        let request = try context.request(.post, server, body: .data(Data(count: 8 << 20)))
        let response = try await context.exchange(request)
        try context.expect(response.head.statusCode, is: 413, "the status")
    }

    /// A server that closes instead of reading the body is an error.
    public static let refusedUpload = Self("refusedUpload", "a server that hangs up on a body is an error") { context in
        let server = try context.serve { connection in
            _ = try connection.readHead()
            connection.reset()
        }
        let request = try context.request(.post, server, body: .data(Data(count: 8 << 20)))
        try await context.expectFailure(.closed) { try await context.exchange(request) }
    }
}
