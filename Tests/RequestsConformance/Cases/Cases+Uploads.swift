import Requests
import RequestsClient
import RequestsSystem
import RequestsTesting

/// Cases about requests as the server receives them.
extension TransportConformance.Case {
    static let uploads: [Self] = [
        unmodifiedRequest, noAddedFields, emptyBodyLength, largeUpload, streamOfKnownLength, streamOfUnknownLength,
        singleUseStream, streamTooShort, streamTooLong, failingStream, resetDuringUpload, requestTrailers,
        expectedContinue, missingContinue, refusedExpectation,
    ]

    /// Starts a server that responds with the request line, header fields, an empty line and the body.
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

    /// Method, target, header fields and body are sent unchanged.
    public static let unmodifiedRequest = Self(
        "unmodifiedRequest",
        "method, target, header fields and body are sent unchanged"
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

    /// The transport adds no credentials, cookies, languages or other header fields that reveal something about the
    /// caller.
    public static let noAddedFields = Self("noAddedFields", "no credential, cookie or content type is added") {
        context in
        var names = ["authorization", "proxy-authorization", "cookie", "content-type", "referer", "origin", "expect"]
        var request = try context.request(.post, echo(context), body: .data(Data("hello".utf8)))
        request.header.remove(.contentType)
        let head: [Substring]
        do {
            head = split(try await context.exchange(request).content).head
        } catch let error as TransportError where error.code == .unsupported {
            // A transport that would add a Content-Type may reject the request instead.
            names.removeAll { $0 == "content-type" }
            request.header.set(.contentType(.binary))
            head = split(try await context.exchange(request).content).head
        }
        for name in names {
            try context.expect(!head.contains { $0.hasPrefix("\(name):") }, "\(name) was added: \(head)")
        }
        let language = head.first { $0.hasPrefix("accept-language:") } ?? "accept-language: *"
        try context.expect(language, is: "accept-language: *", "Accept-Language")
    }

    /// An empty body is sent with `Content-Length: 0`, as is a missing body if the method expects one (RFC 9110 §8.6).
    public static let emptyBodyLength = Self("emptyBodyLength", "an empty body is sent with Content-Length: 0") {
        context in
        for body in [RequestBody.none, .data(Data())] {
            let head = try await upload(body, context).head
            try context.expect(head.contains("content-length: 0"), "Content-Length: 0 is missing for \(body): \(head)")
        }
    }

    /// A body of 16 MiB arrives unchanged.
    public static let largeUpload = Self("largeUpload", "a body of 16 MiB arrives unchanged") {
        context in
        let body = pattern(16 << 20)
        let echo = try await upload(.data(body), context)
        try context.expect(
            echo.body == body,
            "the server received \(echo.body.count) unexpected bytes, not the \(body.count) sent"
        )
    }

    /// Returns a case that needs the `streamedRequestBodies` capability. Transports without it must reject the body
    /// before they connect.
    static func streamed(
        _ name: String,
        _ claim: String,
        rejected: @escaping @Sendable () async throws -> RequestBody = {
            .oneShot(Data("hello".utf8))
        },
        _ body: @escaping @Sendable (TransportConformance.Context) async throws -> Void
    ) -> Self {
        Self(name, claim) { context in
            if context.transport.capabilities.contains(.streamedRequestBodies) { return try await body(context) }
            let server = try context.serve { _ in }
            let request = try await context.request(.post, server, body: rejected())
            let error = try await context.expectFailure(.unsupported) { try await context.exchange(request) }
            try context.expect(
                !error.requestMayHaveBeenProcessed,
                "the error doesn't rule out that the request was processed"
            )
            try context.expect(server.acceptedConnections, is: 0, "the number of connections")
        }
    }

    /// A stream of known length is sent with a `Content-Length`.
    public static let streamOfKnownLength = streamed(
        "streamOfKnownLength",
        "a stream of known length is sent with a Content-Length",
        rejected: { .oneShot(Data("hello".utf8), length: 5) }
    ) { context in
        let bytes = pattern(300_000)
        let echo = try await upload(.oneShot(bytes, length: 300_000), context)
        try context.expect(
            echo.head.contains("content-length: 300000"),
            "Content-Length: 300000 is missing: \(echo.head)"
        )
        try context.expect(echo.body == bytes, "the server received unexpected bytes")
    }

    /// A stream of unknown length is sent with chunked encoding.
    public static let streamOfUnknownLength = streamed(
        "streamOfUnknownLength",
        "a stream of unknown length is sent with chunked encoding"
    ) { context in
        let bytes = pattern(300_000)
        let echo = try await upload(.oneShot(bytes), context)
        try context.expect(echo.head.contains("transfer-encoding: chunked"), "the body isn't chunked: \(echo.head)")
        try context.expect(echo.body == bytes, "the server received unexpected bytes")
    }

    /// Sending a stream twice is an error.
    public static let singleUseStream = streamed("singleUseStream", "a stream can be sent only once") { context in
        let server = try echo(context)
        let stream = RequestBody.oneShot(Data("hello".utf8))
        let request = try context.request(.post, server, body: stream)
        _ = try await context.exchange(request)
        do {
            _ = try await context.exchange(request)
        } catch let error as RequestError where error.code == .bodyAlreadyRead {
            return
        }
        throw TransportConformance.ExpectationFailure(description: "the stream was sent twice")
    }

    private static func wrongLength(_ name: String, _ claim: String, declaring length: Int64) -> Self {
        streamed(name, claim) { context in
            let server = try echo(context)
            let stream = RequestBody.oneShot(pattern(300_000), length: length)
            let request = try context.request(.post, server, body: stream)
            let error = try await context.expectFailure(.sourceFailed) { try await context.exchange(request) }
            let cause = error.underlying as? RequestError
            try context.expect(cause?.code, is: .bodyLengthMismatch, "the underlying error")
        }
    }

    /// A stream shorter than its declared length is an error.
    public static let streamTooShort = wrongLength(
        "streamTooShort",
        "a stream shorter than its declared length is an error",
        declaring: 400_000
    )

    /// A stream longer than its declared length is an error.
    public static let streamTooLong = wrongLength(
        "streamTooLong",
        "a stream longer than its declared length is an error",
        declaring: 200_000
    )

    /// A stream that can't be read is an error that contains the cause.
    public static let failingStream = streamed("failingStream", "a stream that can't be read is an error") { context in
        let server = try echo(context)
        let missing = RequestBody.stream(reading: { throw POSIXError(.ENOENT) })
        let request = try context.request(.post, server, body: missing)
        let error = try await context.expectFailure(.sourceFailed) { try await context.exchange(request) }
        try context.expect(error.underlying != nil, "the cause is missing")
    }

    private static let expectation: Header = [Field(name: "Expect", value: "100-continue")]

    /// The body of a request that expects `100 Continue` is sent when the server asks for it (RFC 9110 §10.1.1).
    public static let expectedContinue = Self("expectedContinue", "a body is sent after 100 Continue") { context in
        let server = try context.serve { connection in
            guard try connection.readHead()?.contains("100-continue") == true else { return }
            try connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            let body = try connection.readBytes(300_000)
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n\(body.count)")
        }
        let body = RequestBody.data(Data(count: 300_000))
        let request = try context.request(.post, server, header: expectation, body: body)
        try context.expect(try await context.exchange(request).content, is: Data("300000".utf8), "the body")
    }

    /// A server needn't send `100 Continue`, so the body is sent after a while.
    public static let missingContinue = Self("missingContinue", "a body doesn't wait forever for 100 Continue") {
        context in
        let server = try context.serve { connection in
            guard try connection.readHead()?.contains("100-continue") == true else { return }
            let body = try connection.readBytes(5)
            let text = String(decoding: body, as: UTF8.self)
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(text)")
        }
        let request = try context.request(.post, server, header: expectation, body: .data(Data("hello".utf8)))
        try context.expect(try await context.exchange(request).content, is: Data("hello".utf8), "the body")
    }

    /// If the server refuses a request that expects `100 Continue`, the body isn't sent, and nothing is repeated.
    public static let refusedExpectation = Self(
        "refusedExpectation",
        "a body isn't sent if the server refuses it instead of 100 Continue"
    ) { context in
        for status in ["417 Expectation Failed", "413 Content Too Large"] {
            let (rests, received) = AsyncStream.makeStream(of: Int.self)
            let server = try context.serve { connection in
                guard try connection.readHead() != nil else { return }
                try connection.write("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\nno")
                // Nothing, because the connection ends.
                received.yield(try connection.read().count)
                received.finish()
            }
            let body = RequestBody.data(Data("hello".utf8))
            let request = try context.request(.post, server, header: expectation, body: body)
            let response = try await context.exchange(request)
            try context.expect("\(response.head.statusCode)", is: String(status.prefix(3)), "the status")
            try context.expect(response.content, is: Data("no".utf8), "the response")
            for await rest in rests { try context.expect(rest, is: 0, "the number of bytes after the head") }
            try context.expect(server.acceptedConnections, is: 1, "the number of connections")
        }
    }

    /// A reset during the upload is an error.
    public static let resetDuringUpload = Self("resetDuringUpload", "a reset during the upload is an error") {
        context in
        let server = try context.serve { connection in
            _ = try connection.readHead()
            connection.reset()
        }
        let request = try context.request(.post, server, body: .data(Data(count: 8 << 20)))
        try await context.expectFailure(.closed) { try await context.exchange(request) }
    }
}
