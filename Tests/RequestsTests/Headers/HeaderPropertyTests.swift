import Foundation
import Requests
import Testing

@Suite("Headers with random text", .timeLimit(.minutes(5)))
struct HeaderPropertyTests {
    private struct Line: Equatable {
        var name: [UInt8]
        var value: [UInt8]

        /// Trims the value, as every recipient does (RFC 9112 §5.1).
        init(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
            var value = Array(value)[...]
            while value.first == UInt8(ascii: " ") || value.first == UInt8(ascii: "\t") { value.removeFirst() }
            while value.last == UInt8(ascii: " ") || value.last == UInt8(ascii: "\t") { value.removeLast() }
            self.name = Array(name)
            self.value = Array(value)
        }

        var isValid: Bool {
            !name.isEmpty && name.allSatisfy { Line.isTokenByte[Int($0)] }
                && !value.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }
        }

        private static let isTokenByte = (UInt8.min ... .max).map { byte in
            let isLetterOrDigit = byte < 128 && (UnicodeScalar(byte).properties.isAlphabetic || 48...57 ~= byte)
            return isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static let names = ["X", "X-Own", "Accept", "Set-Cookie", "If-Match", "User-Agent"]

    @Test("no field can inject a line: the message parses to the same fields and body, or the build throws")
    func fields() throws {
        let api = BaseURL("https://api.example.com")
        var random = SplitMix64(seed: 1)
        var texts = HostileText(seed: 1, count: .max)
        var built = 0
        var broken: [Line]?
        for _ in 0..<20_000 where broken == nil {
            let given = (0...random.next(upperBound: 2 as UInt64)).map { _ in
                let isOwnName = random.next(upperBound: 8 as UInt64) == 0
                return (
                    name: isOwnName
                        ? texts.next() ?? "" : HeaderPropertyTests.names.randomElement(using: &random) ?? "",
                    value: texts.next() ?? ""
                )
            }
            let (query, body) = (texts.next() ?? "", texts.next() ?? "")
            let fields = given.map { Field(name: Field.Name($0.name), value: $0.value) }
            let lines = given.map { Line($0.name.utf8, $0.value.utf8) }
            let isAllowed = lines.allSatisfy(\.isValid)
            let own = BodyProvider { _ in .data(Data(body.utf8)) }
            let request = api.post(own, to: "/").with(query: ["q": query]).with(header: Header(fields))
            do {
                let message = Array(try request.prepared().httpMessage(revealingSecrets: true).utf8)
                built += 1
                let read = parsed(message)
                let framing = Line("Content-Length".utf8, "\(body.utf8.count)".utf8)
                let isWhole = read?.lines == [Line("Host".utf8, "api.example.com".utf8)] + lines + [framing]
                if !isAllowed || read?.words != 3 || !isWhole || read?.body != Array(body.utf8) { broken = lines }
            } catch let error as RequestError {
                if isAllowed || ![.invalidFieldName, .invalidFieldValue].contains(error.code) { broken = lines }
            }
        }
        #expect(broken == nil)
        #expect(built > 8_000)
    }

    @Test("typed fields and credentials can't inject a line")
    func typedFields() throws {
        let api = BaseURL("https://api.example.com")
        var (tried, built) = (0, 0)
        let broken = try HostileText(seed: 9, count: 15_000).first { text in
            let type = MediaType(type: "a", subtype: "b", parameters: [("p", text)])
            let fields: [Field] = [
                .accept(type), .acceptLanguage(inOrder: [text, text]), .ifNoneMatch(Field.EntityTag(value: text)),
                .userAgent(text), .cookie(["a": text]), .cookie([text: "a"]), .authorization(text),
            ]
            tried += 1
            do {
                let request = api.get(.data, from: "/").with(header: [fields[tried % fields.count]])
                    .authenticated(with: .apiKey(text, inHeader: "X-Key"))
                let message = Array(try request.prepared().httpMessage(revealingSecrets: true).utf8)
                built += 1
                return parsed(message)?.lines.count != 3
            } catch let error as RequestError {
                return ![.invalidFieldValue, .invalidCredentials].contains(error.code)
            }
        }
        #expect(broken == nil)
        #expect(built > 3_000)
    }

    /// Parses a message like the most lenient recipient, for which CR and NUL also end a line.
    private func parsed(_ message: [UInt8]) -> (words: Int, lines: [Line], body: [UInt8])? {
        var lines: [ArraySlice<UInt8>] = []
        var (start, end) = (0, 0)
        while end < message.count, !(message[end] == 10 && end + 1 < message.count && message[end + 1] == 10) {
            if message[end] == 0 || message[end] == 10 || message[end] == 13 {
                lines.append(message[start..<end])
                start = end + 1
            }
            end += 1
        }
        guard end < message.count else { return nil }
        lines.append(message[start..<end])
        let words = lines.first?.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).count ?? 0
        let fields = lines.dropFirst().compactMap { line in
            line.firstIndex(of: UInt8(ascii: ":")).map { Line(line[..<$0], line[($0 + 1)...]) }
        }
        guard fields.count == lines.count - 1 else { return nil }
        return (words, fields, Array(message[(end + 2)...]))
    }
}
