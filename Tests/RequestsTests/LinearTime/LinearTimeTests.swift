import RequestsSchemes
import RequestsTestSupport
import RequestsTesting
import Testing

@testable import Requests

/// A parser and its worst input.
private struct Worst: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let prefix: String
    let piece: String
    let suffix: String
    let parse: @Sendable (String) -> Void

    init(
        _ name: String,
        _ piece: String,
        after prefix: String = "",
        before suffix: String = "",
        parse: @escaping @Sendable (String) -> Void
    ) {
        testDescription = "\(name): \(SampleText(prefix + piece + piece))"
        (self.prefix, self.piece, self.suffix, self.parse) = (prefix, piece, suffix, parse)
    }

    func input(size: Int) -> String {
        prefix + String(repeating: piece, count: size / piece.utf8.count) + suffix
    }
}

@Suite("Linear time", .serialized, .timeLimit(.minutes(5)))
struct LinearTimeTests {
    private static func redirect(to location: String) {
        _ = try? RequestURL("https://a.example/b/c?d#e").resolving(location).description
    }

    private static func head(_ name: Field.Name, _ value: String) -> ResponseHead? {
        let url = try? RequestURL("https://a.example/")
        return url.flatMap { try? ResponseHead(statusCode: 200, header: [Field(name: name, value: value)], url: $0) }
    }

    private static let urls: [Worst] = [
        Worst("URL", "%", after: "https://a/") { _ = try? RequestURL($0) },
        Worst("URL", "/", after: "https://a/") { _ = try? RequestURL($0) },
        Worst("URL", "a.", after: "https://") { _ = try? RequestURL($0) },
        Worst("URL", "é", after: "https://") { _ = try? RequestURL($0) },
        Worst("URL", "a@", after: "https://") { _ = try? RequestURL($0) },
        Worst("Location", "a=", after: "/x?") { redirect(to: $0) },
        Worst("Location", "../", after: "/") { redirect(to: $0) },
        Worst("Location", "a/%2e%2E/") { redirect(to: $0) },
        Worst("Location", "//u:p@") { redirect(to: $0) },
        Worst("query items", "a&=", after: "https://a/?") { _ = try? RequestURL($0).queryItems },
        Worst("a secret item", "a=b&", after: "https://a/?") { _ = try? RequestURL($0).setting(secret: "c", as: "a") },
        Worst("decoding", "%41") { _ = PercentEncoding.decoded($0) },
        Worst("decoding", "%4") { _ = PercentEncoding.decoded($0) },
        Worst("endpoint", "/%2", after: "/") { _ = Endpoint(path: $0) },
        Worst("template", "{a}{+b}") { _ = try? URITemplate($0).expanded(with: ["a": "é", "b": ["c", "d"]]) },
        Worst("template", "{") { _ = try? URITemplate($0) },
        Worst("template", "a,", after: "{?", before: "b}") { _ = try? URITemplate($0) },
    ]

    private static let fields: [Worst] = [
        Worst("media type", ";a=\"\\b\"", after: "a/b") { _ = MediaType($0) },
        Worst("media type", "; ", after: "a/b") { _ = MediaType($0)?.rawValue },
        Worst("media type", ";a=b", after: "a/b") { _ = MediaType($0)?.rawValue },
        Worst("challenges", "Basic a=b,") { _ = head(.wwwAuthenticate, $0).map { challenges(in: $0) } },
        Worst("challenges", "a ") { _ = head(.wwwAuthenticate, $0).map { challenges(in: $0) } },
        Worst("challenges", "a=\"\\", after: "Digest ") { _ = head(.wwwAuthenticate, $0).map { challenges(in: $0) } },
        Worst("challenges", "a, b=c,") { _ = head(.wwwAuthenticate, $0).map { challenges(in: $0) } },
        Worst("challenges", "a ", after: "a b=c ") { _ = head(.wwwAuthenticate, $0).map { challenges(in: $0) } },
        Worst("challenges", "a ,  ") { _ = head(.wwwAuthenticate, $0).map { challenges(in: $0) } },
        Worst("repeats", "a,") { _ = head(.eTag, $0)?.entityTag },
        Worst("repeats", "\"\\\"") { _ = head("Content-Disposition", $0)?.suggestedFilename },
        Worst("links", "<a>; rel=b,") { _ = head("Link", $0)?.links },
        Worst("links", "<") { _ = head("Link", $0)?.links },
        Worst("links", ";=", after: "<a>") { _ = head("Link", $0)?.links },
        Worst("file name", ";a", after: "attachment") { _ = head("Content-Disposition", $0)?.suggestedFilename },
        Worst("file name", "%C3", after: "a; filename*=utf-8''") {
            _ = head("Content-Disposition", $0)?.suggestedFilename
        },
        Worst("cookie", ";a=b", after: "a=b") { _ = SetCookie($0, now: Date(timeIntervalSince1970: 0)) },
        Worst("date", "1 ") { _ = HTTPDate.parse($0) { Date(timeIntervalSince1970: 0) } },
        Worst("date", ":") { _ = HTTPDate.parse($0) { Date(timeIntervalSince1970: 0) } },
        Worst("lengths", "1,") { _ = Header([Field(name: .contentLength, value: $0)]).lengthFault },
        Worst("transfer codings", "a,") { _ = Header([Field(name: .transferEncoding, value: $0)]).lengthFault },
    ]

    private static let redactions: [Worst] = [
        Worst("redaction of items", "a=") { _ = Redaction.hidingCredentials(in: $0) },
        Worst("redaction of items", "token=&") { _ = Redaction.hidingCredentials(in: $0) },
        Worst("redaction of items", "a[") { _ = Redaction.hidingCredentials(in: $0 + "=b") },
        Worst("redaction of user info", "//") { _ = Redaction.hidingCredentials(in: $0 + "@") },
        Worst("redaction of user info", "//a@") { _ = Redaction.hidingCredentials(in: $0) },
        Worst("redaction of JSON", "\"a\" ", after: "[") { _ = Redaction.hidingMembers(inJSON: Data($0.utf8)) },
        Worst("redaction of JSON", "\"token\":[", after: "[") { _ = Redaction.hidingMembers(inJSON: Data($0.utf8)) },
        Worst("redaction of JSON", "\"\\\"", after: "[") { _ = Redaction.hidingMembers(inJSON: Data($0.utf8)) },
        Worst("redaction of text with JSON", "\"a\" ") { redact($0) },
        Worst("redaction of text with JSON", "\"token\":[\"") { redact($0) },
        Worst("redaction of text with JSON", "\"\\\"") { redact($0) },
        Worst("redaction of a form", "--b\r\n\r\n") { _ = FormPart.redacted(Data($0.utf8), "b") { _, _ in true } },
        Worst("redaction of a form", "-") {
            _ = FormPart.redacted(Data($0.utf8), String($0.prefix($0.utf8.count / 2)) + "a") { _, _ in true }
        },
        Worst("quoting", "\u{200D}") { _ = Redaction.quotedURL($0) },
        Worst("curl command", "'") { text in
            let request = try? BaseURL("https://a").post(.text(text), to: "/").prepared()
            _ = request?.curlCommand()
        },
        Worst("curl command", "\0") { text in
            let request = try? BaseURL("https://a").post(.text(text), to: "/").prepared()
            _ = request?.curlCommand()
        },
    ]

    private static let bodies: [Worst] = [
        Worst("lines", "\r") { parse($0, by: LineParser(upTo: 1 << 21)) },
        Worst("lines", "a\n\r") { parse($0, by: LineParser(upTo: 1 << 21)) },
        Worst("lines", "a") { parse($0, by: LineParser(upTo: 1 << 21)) },
        Worst("events", "data\n") { parse($0, by: ServerSentEventParser(upTo: 1 << 21)) },
        Worst("events", "id:a\ndata:b\n\n") { parse($0, by: ServerSentEventParser(upTo: 1 << 21)) },
        Worst("nesting", "[]") { _ = JSONNesting.isTooDeep(Data($0.utf8)) },
        Worst("nesting", "\"\\\"") { _ = JSONNesting.isTooDeep(Data($0.utf8)) },
        Worst("JSON value", "[],", after: "[", before: "1]") {
            _ = try? JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
        },
        Worst("a set of objects", "{\"id\":1},") { _ = Set(numbered($0) { ["id": $0] }) },
        Worst("a set of nested arrays", "[[[[[[1]]]]]],") { _ = Set(numbered($0) { [[[[[[$0]]]]]] }) },
        Worst("a set of media types", "a/b;c=d") { _ = Set(numbered($0) { MediaType("a/b;c=\($0)") }) },
        Worst("a query", "\"name\":1,") { text in
            let members = numbered(text) { ("name\($0)", 1) }
            _ = try? Query.encoding(Dictionary(uniqueKeysWithValues: members))
        },
        Worst("multipart boundary", "a") { _ = Multipart([.field("a", collisions(size: $0.utf8.count))]).boundary },
    ]

    private static func redact(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Redaction.replacingMembers(inJSON: bytes, isWhole: false, where: Redaction.isSecret) { Array($0) }
    }

    private static func challenges(in head: ResponseHead) -> [AuthenticationProvider.Challenge] {
        AuthenticationProvider.Challenge.challenges(in: head.header)
    }

    /// Returns a value for each piece of the input.
    private static func numbered<Value>(_ text: String, _ make: (JSONValue) -> Value) -> [Value] {
        (0..<(text.utf8.count / 40)).map { make(.integer(Int64($0))) }
    }

    /// Parses text in pieces of one byte at the start, and then of all other bytes.
    private static func parse(_ text: String, by parser: some StreamParser) {
        var parser = parser
        let bytes = Data(text.utf8)
        let small = min(bytes.count / 2, 1 << 14)
        for chunk in (0..<small).map({ bytes[$0..<($0 + 1)] }) + [bytes[small...]] {
            parser.append(chunk)
            while let element = try? parser.next() { withExtendedLifetime(element) {} }
        }
        parser.finish()
        while let element = try? parser.next() { withExtendedLifetime(element) {} }
    }

    /// A value that contains the boundaries that a form would have with a counter.
    private static func collisions(size: Int) -> String {
        let boundary = Multipart([.field("a", "")]).boundary
        return (0..<(size / (boundary.utf8.count + 8))).reduce(into: "--\(boundary) ") { $0 += "--\(boundary)-\($1) " }
    }

    @Test("Parsers of URLs take linear time", arguments: urls)
    private func checkUrls(worst: Worst) {
        #expect(Growth.ofTime(worst.input, worst.parse) < Growth.limit)
    }

    @Test("Parsers of header fields take linear time", arguments: fields)
    private func checkFields(worst: Worst) {
        #expect(Growth.ofTime(worst.input, worst.parse) < Growth.limit)
    }

    @Test("Redaction takes linear time", arguments: redactions)
    private func checkRedactions(worst: Worst) {
        #expect(Growth.ofTime(worst.input, worst.parse) < Growth.limit)
    }

    @Test("Parsers of bodies take linear time", arguments: bodies)
    private func checkBodies(worst: Worst) {
        #expect(Growth.ofTime(worst.input, worst.parse) < Growth.limit)
    }

    @Test("Quadratic time is noticed")
    func quadratic() {
        // Other processes can slow a run of the smaller input down, so one of several measurements counts.
        let isNoticed = (0..<5).contains { _ in growthOfQuadraticTime() > Growth.limit }
        #expect(isNoticed)
    }

    private func growthOfQuadraticTime() -> Double {
        Growth.ofTime {
            Array(repeating: UInt8(1), count: $0 / 16)
        } _: { input in
            var sum = 0
            input.withUnsafeBufferPointer { bytes in
                for end in bytes.indices { for index in 0..<end { sum &+= Int(bytes[index]) } }
            }
            // Without a use, the optimizer removes the loops.
            precondition(sum >= 0)
        }
    }
}
