import Requests
import RequestsClient
import RequestsTesting

/// Cases about status lines and header fields (RFC 9112 §4, §5).
extension TransportConformance.Case {
    static let heads: [Self] = [
        noReasonPhrase, unusualStatuses, notHTTP, invalidFields, repeatedFields, emptyField, whitespaceAroundValues,
        latin1Value, opaqueOctets, bareLineFeeds, bareCarriageReturns, foldedField, lineTooLong, headTooLarge,
        tooManyFields,
    ]

    /// Returns the header of a raw response.
    private static func header(of reply: [UInt8], _ context: TransportConformance.Context) async throws -> Header {
        try await context.get(context.play(reply)).head.header
    }

    /// The reason phrase may be missing, with or without the space before it.
    public static let noReasonPhrase = Self("noReasonPhrase", "the reason phrase is optional") { context in
        for line in ["HTTP/1.1 200 ", "HTTP/1.1 200"] {
            let response = try await context.get(context.play("\(line)\r\nContent-Length: 2\r\n\r\nok"))
            try context.expect(response.head.statusCode, is: 200, "the status")
            try context.expect(response.content, is: Data("ok".utf8), "the body")
        }
    }

    /// An unregistered status code is delivered as received.
    public static let unusualStatuses = Self("unusualStatuses", "any three-digit status code is delivered") { context in
        for status in [218, 299, 418, 499, 599, 999] {
            let response = try await context.get(context.play("HTTP/1.1 \(status) Odd\r\nContent-Length: 0\r\n\r\n"))
            try context.expect(response.head.statusCode, is: status, "the status")
        }
    }

    /// A response that doesn't start with a valid status line is an error.
    public static let notHTTP = Self("notHTTP", "an invalid status line is an error") { context in
        let replies = [
            "hello, this is not HTTP\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        ]
        for reply in replies {
            let server = try context.play(reply)
            try await context.expectFailure(.malformed) { try await context.get(server) }
        }
    }

    /// A header line that isn't a valid field is an error.
    public static let invalidFields = Self("invalidFields", "a header line that isn't a valid field is an error") {
        context in
        for line in ["no colon", "X-A: a\0b", " X-A: continues nothing"] {
            let server = try context.play("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok")
            try await context.expectFailure(.malformed) { try await context.get(server) }
        }
    }

    /// Repeated fields stay separate and in order, if the transport has the `orderedFields` capability.
    public static let repeatedFields = Self("repeatedFields", "repeated fields stay separate and in order") { context in
        let reply = "HTTP/1.1 200 OK\r\nX-A: 1\r\nSet-Cookie: a=b, c\r\nX-B: 2\r\nx-a: 3\r\nSet-Cookie: d=e\r\n"
        let header = try await header(of: Array("\(reply)Content-Length: 0\r\n\r\n".utf8), context)
        guard context.transport.capabilities.contains(.orderedFields) else {
            // Without the capability, check only a field that joining can't change.
            return try context.expect(header["X-B"], is: "2", "X-B")
        }
        try context.expect(header[values: "X-A"], is: ["1", "3"], "X-A")
        try context.expect(header[values: .setCookie], is: ["a=b, c", "d=e"], "Set-Cookie")
        let names = header.map(\.name.rawValue)
        try context.expect(
            names,
            is: ["X-A", "Set-Cookie", "X-B", "x-a", "Set-Cookie", "Content-Length"],
            "the order of the fields"
        )
    }

    /// A field with an empty value is kept.
    public static let emptyField = Self("emptyField", "a field with an empty value is kept") { context in
        let header = try await header(of: Array("HTTP/1.1 200 OK\r\nX-A:\r\nContent-Length: 0\r\n\r\n".utf8), context)
        try context.expect(header["X-A"], is: "", "X-A")
    }

    /// Whitespace around a value is optional and not part of the value.
    public static let whitespaceAroundValues = Self(
        "whitespaceAroundValues",
        "whitespace around a value is optional and not part of the value"
    ) { context in
        let reply = "HTTP/1.1 200 OK\r\nX-A:1\r\nX-B: \t 2 \t \r\nContent-Length:0\r\n\r\n"
        let header = try await header(of: Array(reply.utf8), context)
        try context.expect(header["X-A"], is: "1", "X-A")
        try context.expect(header["X-B"], is: "2", "X-B")
    }

    /// A value that isn't valid UTF-8 is decoded as Latin-1.
    public static let latin1Value = Self("latin1Value", "a value that isn't UTF-8 is decoded as Latin-1") { context in
        let reply = Array("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + [0xE9] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
        try context.expect(try await header(of: reply, context)["X-A"], is: "café", "X-A")
    }

    /// The octets of entity tags and cookies are opaque (RFC 9110 §5.5), so they are sent back as they came.
    public static let opaqueOctets = Self(
        "opaqueOctets",
        "an entity tag or a cookie that isn't UTF-8 is sent back as it came"
    ) { context in
        let (tag, cookie) = (
            Array("\"".utf8) + [0xE9, 0xFF, 0x80] + Array("\"".utf8), Array("a=".utf8) + [0xC3, 0x28]
        )
        let server = try context.serve { connection in
            var head: [UInt8] = []
            while head.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
                let more = try connection.read()
                guard !more.isEmpty else { return }
                head += more
            }
            let fields = Array("HTTP/1.1 200 OK\r\nETag: ".utf8) + tag + Array("\r\nSet-Cookie: ".utf8) + cookie
            try connection.write(fields + Array("\r\nContent-Length: \(head.count)\r\nConnection: close\r\n\r\n".utf8))
            try connection.write(head)
        }
        let first = try await context.get(server).head
        try context.expect(first.entityTag != nil, "the entity tag is missing")
        var request = try context.request(.get, server, header: [.ifRange(first.entityTag ?? "")])
        var cookies = CookieJar()
        cookies.store(first.header, from: request.url, at: Date(timeIntervalSince1970: 0))
        let value = cookies.field(for: request.url, at: Date(timeIntervalSince1970: 0))
        request.header.add(Field(name: .cookie, value: value ?? ""))
        let head = Array(try await context.exchange(request).content)
        try context.expect(head.firstRange(of: tag) != nil, "If-Range has other octets than ETag")
        try context.expect(head.firstRange(of: cookie) != nil, "Cookie has other octets than Set-Cookie")
    }

    /// A line feed without a carriage return ends a line.
    public static let bareLineFeeds = Self("bareLineFeeds", "a line feed without a carriage return ends a line") {
        context in
        let response = try await context.get(context.play("HTTP/1.1 200 OK\nX-A: 1\nContent-Length: 2\n\nok"))
        try context.expect(response.head.header["X-A"], is: "1", "X-A")
        try context.expect(response.content, is: Data("ok".utf8), "the body")
    }

    /// A carriage return without a line feed is an error, because another parser could end the line there and read a
    /// different response (RFC 9112 §2.2).
    public static let bareCarriageReturns = Self(
        "bareCarriageReturns",
        "a carriage return without a line feed is an error"
    ) { context in
        let heads = [
            "HTTP/1.1 200 O\rK", "HTTP/1.1 200 \rOK", "HTTP/1.1 200 OK\r",
            "HTTP/1.1 103 Early\rHints\r\n\r\nHTTP/1.1 200 OK",
            "HTTP/1.1 200 OK\r\nX-A: a\rb", "HTTP/1.1 200 OK\r\nX-A: a\r\n b\rc", "HTTP/1.1 200 OK\r\nX-A\r: a",
        ]
        for head in heads {
            let server = try context.play("\(head)\r\nContent-Length: 2\r\n\r\nok")
            try await context.expectFailure(.malformed) { try await context.get(server) }
        }
    }

    /// A line that starts with whitespace continues the previous field (RFC 9112 §5.2).
    public static let foldedField = Self("foldedField", "a folded line continues the previous field") { context in
        let reply = "HTTP/1.1 200 OK\r\nX-A: one\r\n  two\r\nContent-Length: 0\r\n\r\n"
        try context.expect(try await header(of: Array(reply.utf8), context)["X-A"], is: "one two", "X-A")
    }

    /// A header line of 200 KiB is an error.
    public static let lineTooLong = large(
        "lineTooLong",
        "a header line of 200 KiB is an error",
        fields: 1,
        of: 200 << 10
    )

    /// A response header of 500 KiB is an error.
    public static let headTooLarge = large("headTooLarge", "a header of 500 KiB is an error", fields: 10, of: 50 << 10)

    /// A response header with 6000 fields is an error.
    public static let tooManyFields = large(
        "tooManyFields",
        "a header with 6000 fields is an error",
        fields: 6000,
        of: 1
    )

    private static func large(_ name: String, _ claim: String, fields count: Int, of size: Int) -> Self {
        Self(name, claim) { context in
            let value = String(repeating: "x", count: size)
            let fields = (0..<count).map { "X-\($0): \(value)\r\n" }.joined()
            let server = try context.play("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n")
            try await context.expectFailure(.tooLarge) { try await context.get(server) }
        }
    }
}
