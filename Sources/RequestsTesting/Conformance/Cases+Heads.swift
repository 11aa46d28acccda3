import Foundation
import Requests
import RequestsClient

/// Status lines and fields (RFC 9112 §4, §5).
extension TransportConformance.Case {
    static let heads: [Self] = [
        noReasonPhrase, unusualStatuses, notHTTP, invalidFields, repeatedFields, emptyField, whitespaceAroundValues,
        latin1Value, bareLineFeeds, foldedField, lineTooLong, headTooLarge, tooManyFields,
    ]

    /// Gives the header of the response to a reply.
    private static func header(of reply: [UInt8], _ context: TransportConformance.Context) async throws -> Header {
        try await context.get(context.play(reply)).head.header
    }

    /// The reason phrase may be absent, with or without its space.
    public static let noReasonPhrase = Self("noReasonPhrase", "a status line needs no reason phrase") { context in
        for line in ["HTTP/1.1 200 ", "HTTP/1.1 200"] {
            let response = try await context.get(context.play("\(line)\r\nContent-Length: 2\r\n\r\nok"))
            try context.expect(response.head.statusCode, is: 200, "the status")
            try context.expect(response.content, is: Data("ok".utf8), "the body")
        }
    }

    /// A status that nobody has registered is delivered as it is.
    public static let unusualStatuses = Self("unusualStatuses", "any status of three digits is delivered") { context in
        for status in [218, 299, 418, 499, 599, 999] {
            let response = try await context.get(context.play("HTTP/1.1 \(status) Odd\r\nContent-Length: 0\r\n\r\n"))
            try context.expect(response.head.statusCode, is: status, "the status")
        }
    }

    /// What does not start like HTTP is an error.
    public static let notHTTP = Self("notHTTP", "what does not start like HTTP is an error") { context in
        let replies = [
            "hello, this is not HTTP\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        ]
        for reply in replies {
            let server = try context.play(reply)
            try await context.expectFailure(.malformed) { try await context.get(server) }
        }
    }

    /// A line of a head that is no field is an error.
    public static let invalidFields = Self("invalidFields", "a line of a head that is no field is an error") {
        context in
        for line in ["no colon", "X-A: a\0b", " X-A: continues nothing"] {
            let server = try context.play("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok")
            try await context.expectFailure(.malformed) { try await context.get(server) }
        }
    }

    /// Repeated fields stay apart and in order, where the transport claims it.
    public static let repeatedFields = Self("repeatedFields", "repeated fields stay apart, in order") { context in
        let reply = "HTTP/1.1 200 OK\r\nX-A: 1\r\nSet-Cookie: a=b, c\r\nX-B: 2\r\nx-a: 3\r\nSet-Cookie: d=e\r\n"
        let header = try await header(of: Array("\(reply)Content-Length: 0\r\n\r\n".utf8), context)
        guard context.transport.capabilities.contains(.orderedFields) else {
            // Without the capability only what a join cannot spoil is asked for.
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

    /// An empty value is a value.
    public static let emptyField = Self("emptyField", "a field can be empty") { context in
        let header = try await header(of: Array("HTTP/1.1 200 OK\r\nX-A:\r\nContent-Length: 0\r\n\r\n".utf8), context)
        try context.expect(header["X-A"], is: "", "X-A")
    }

    /// White space around a value is no part of it, and need not be there.
    public static let whitespaceAroundValues = Self(
        "whitespaceAroundValues",
        "white space around a value is optional and no part of it"
    ) { context in
        let reply = "HTTP/1.1 200 OK\r\nX-A:1\r\nX-B: \t 2 \t \r\nContent-Length:0\r\n\r\n"
        let header = try await header(of: Array(reply.utf8), context)
        try context.expect(header["X-A"], is: "1", "X-A")
        try context.expect(header["X-B"], is: "2", "X-B")
    }

    /// A byte that is not UTF-8 is delivered as the Latin-1 character it stands for.
    public static let latin1Value = Self("latin1Value", "bytes that are not UTF-8 are Latin-1") { context in
        let reply = Array("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + [0xE9] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
        try context.expect(try await header(of: reply, context)["X-A"], is: "café", "X-A")
    }

    /// Lines that end with a line feed alone are lines.
    public static let bareLineFeeds = Self("bareLineFeeds", "a line feed alone ends a line") { context in
        let response = try await context.get(context.play("HTTP/1.1 200 OK\nX-A: 1\nContent-Length: 2\n\nok"))
        try context.expect(response.head.header["X-A"], is: "1", "X-A")
        try context.expect(response.content, is: Data("ok".utf8), "the body")
    }

    /// A line that starts with white space goes on with the line before (RFC 9112 §5.2).
    public static let foldedField = Self("foldedField", "a folded line is part of the value before it") { context in
        let reply = "HTTP/1.1 200 OK\r\nX-A: one\r\n  two\r\nContent-Length: 0\r\n\r\n"
        try context.expect(try await header(of: Array(reply.utf8), context)["X-A"], is: "one two", "X-A")
    }

    /// A line of 200 KB is an error.
    public static let lineTooLong = large("lineTooLong", "a line of 200 KB is an error", fields: 1, of: 200 << 10)

    /// A head of 500 KB is an error.
    public static let headTooLarge = large("headTooLarge", "a head of 500 KB is an error", fields: 10, of: 50 << 10)

    /// A head of 6000 fields is an error.
    public static let tooManyFields = large("tooManyFields", "a head of 6000 fields is an error", fields: 6000, of: 1)

    private static func large(_ name: String, _ claim: String, fields count: Int, of size: Int) -> Self {
        Self(name, claim) { context in
            let value = String(repeating: "x", count: size)
            let fields = (0..<count).map { "X-\($0): \(value)\r\n" }.joined()
            let server = try context.play("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n")
            try await context.expectFailure(.tooLarge) { try await context.get(server) }
        }
    }
}
