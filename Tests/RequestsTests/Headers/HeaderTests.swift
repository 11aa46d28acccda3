import Requests
import RequestsTestSupport
import Testing

@Suite("Headers", .timeLimit(.minutes(5)))
struct HeaderTests {
    private let languages: Header = [
        .acceptLanguage("en"), Field(name: "X-A", value: "1"), Field(name: "accept-language", value: "de"),
    ]

    @Test("a header keeps the order of fields and repeated names")
    func order() {
        #expect(languages.map(\.value) == ["en", "1", "de"])
        #expect(languages.map(\.name.rawValue) == ["Accept-Language", "X-A", "accept-language"])
        #expect(languages.count == 3)
        #expect(languages != Header(Array(languages.reversed())))
    }

    @Test("a header can be created from a literal, an array and single fields")
    func making() {
        let fields = [Field(name: "A", value: "1"), Field(name: "A", value: "2")]
        #expect(Header(fields) == Header(fields[0], fields[1]))
        #expect(Header(fields) == [fields[0], fields[1]])
        #expect(Header.empty.isEmpty)
        #expect(Header() == .empty)
        #expect(Header(["B": "2", "A": "1"]) == [fields[0], Field(name: "B", value: "2")])
    }

    @Test("a header from a dictionary literal keeps its order and repeated names")
    func dictionaryLiteral() {
        let header: Header = ["X-B": "2", "X-A": "1", "x-b": "3", .accept: "text/html"]
        #expect(header.map(\.name.rawValue) == ["X-B", "X-A", "x-b", "Accept"])
        #expect(header.map(\.value) == ["2", "1", "3", "text/html"])
        let empty: Header = [:]
        #expect(empty == .empty)
        #expect(Header([:]).isEmpty && Header([]).isEmpty)
        let secret: Header = ["Authorization": "s3cret"]
        #expect(!"\(secret)".contains("s3cret"))
    }

    @Test("`add` appends, and fields of the same name stay")
    func add() {
        var header = languages
        header.add(.acceptLanguage("fr"))
        #expect(header.map(\.value) == ["en", "1", "de", "fr"])
    }

    @Test("`set` replaces all fields of the name at the position of the first, or appends one")
    func set() {
        var header = languages
        header.set(Field(name: "ACCEPT-LANGUAGE", value: "fr"))
        #expect(header == [Field(name: "ACCEPT-LANGUAGE", value: "fr"), Field(name: "X-A", value: "1")])
        #expect(header.map(\.name.rawValue) == ["ACCEPT-LANGUAGE", "X-A"])
        header.set(Field(name: "X-B", value: "2"))
        #expect(header.map(\.value) == ["fr", "1", "2"])
    }

    @Test("`remove` removes all fields of a name and returns their joined value")
    func remove() {
        var header = languages
        #expect(header.remove("ACCEPT-language") == Field(name: .acceptLanguage, value: "en,de"))
        #expect(header == [Field(name: "X-A", value: "1")])
        #expect(header.remove(.acceptLanguage) == nil)
        #expect(header == [Field(name: "X-A", value: "1")])
    }

    @Test("`contains` ignores the case of the name")
    func contains() {
        #expect(languages.contains("ACCEPT-LANGUAGE" as Field.Name))
        #expect(languages.contains("x-a" as Field.Name))
        #expect(!languages.contains(.accept))
        #expect(!Header.empty.contains(.accept))
    }

    @Test("`header[name]` joins repeated fields with a comma, and `header[values: name]` lists them in order")
    func joining() {
        #expect(languages[.acceptLanguage] == "en,de")
        #expect(languages[values: "ACCEPT-LANGUAGE"] == ["en", "de"])
        #expect(languages[values: .accept].isEmpty)
        #expect(languages["X-A"] == "1")
        #expect(languages[.accept] == nil)
        #expect(Header([Field(name: "X", value: "")])["X"]?.isEmpty == true)
        #expect(Header([Field(name: "X", value: ""), Field(name: "X", value: "a")])["X"] == ",a")
    }

    @Test("`header[name] = value` replaces all fields of the name, and nil removes them")
    func subscriptSetter() {
        var header = languages
        header[.acceptLanguage] = "fr"
        #expect(header.map(\.value) == ["fr", "1"])
        header[.acceptLanguage] = nil
        #expect(header.map(\.value) == ["1"])
        header[.accept] = "*/*"
        #expect(header.map(\.value) == ["1", "*/*"])
    }

    @Test("`dictionaryValue` joins repeated fields under the first spelling of their name")
    func dictionary() {
        #expect(languages.dictionaryValue == ["Accept-Language": "en,de", "X-A": "1"])
        #expect(Header.empty.dictionaryValue.isEmpty)
    }

    @Test("`Set-Cookie` is never joined: `[name]` and `dictionaryValue` give the first value")
    func setCookie() {
        let header: Header = [
            Field(name: .setCookie, value: "a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT"),
            Field(name: "set-cookie", value: "b=2"),
        ]
        #expect(header[.setCookie] == "a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT")
        #expect(header.dictionaryValue == ["Set-Cookie": "a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT"])
        #expect(header[values: .setCookie].count == 2)
    }

    @Test("repeated `Cookie` fields are joined with a semicolon")
    func cookie() throws {
        let header: Header = [Field(name: .cookie, value: "a=1; b=2"), Field(name: "cookie", value: "c=3")]
        #expect(header[.cookie] == "a=1; b=2; c=3")
        #expect(header.dictionaryValue == ["Cookie": "a=1; b=2; c=3"])
    }

    @Test("a field that replaces a sensitive one is sensitive, and so is a removed one")
    func keptMark() throws {
        var header: Header = [
            Field(name: "X-Own", value: "a").sensitive(), Field(name: "x-own", value: "b"),
            Field(name: "X", value: "c").sensitive(false),
        ]
        header["X-OWN"] = "s3cret"
        header["X"] = "d"
        #expect(header.description == "X-OWN: REDACTED\nX: d")
        header.add(Field(name: "X-Own", value: "plain"))
        #expect(header.remove("X-Own")?.isSensitive == true)
        #expect(header.remove("X")?.isSensitive == false)
        header["X-Own"] = "new"
        #expect(!header[0].isSensitive)
    }

    @Test("merging replaces the fields of names in the other header and keeps the rest in order")
    func merging() {
        let other: Header = [
            Field(name: "x-a", value: "2"), Field(name: "X-A", value: "3"), Field(name: "X-B", value: "4"),
        ]
        #expect(languages.merging(other).map(\.value) == ["en", "de", "2", "3", "4"])
        #expect(languages.merging(.empty) == languages)
        #expect(Header.empty.merging(languages) == languages)
    }

    @Test("printing a header never shows a sensitive value")
    func printing() {
        let header: Header = [
            .accept(.json), .authorization("s3cret"), Field(name: "X-Own", value: "s3cret").sensitive(),
        ]
        #expect(header.description == "Accept: application/json\nAuthorization: REDACTED\nX-Own: REDACTED")
        #expect(header.debugDescription == header.description)
        #expect(!"\([header]) \(Optional(header) as Any)".contains("s3cret"))
    }

    @Test("A field that can't be sent stays invalid when its value is joined, edited, replaced, moved or merged")
    func keptDefect() throws {
        let cookie = Field.cookie(["theme": "x; admin=1"])
        var joined: Header = [.cookie(["a": "b"]), cookie]
        joined[.cookie] = joined[.cookie]
        var edited: Header = [cookie]
        edited[.cookie]? += "; c=d"
        var moved: Header = [cookie]
        let removed = moved.remove(.cookie)
        moved.add(try #require(removed))
        for header in [joined, edited, moved, Header.empty.merging([cookie]), [cookie.sensitive()]] {
            let error = #expect(throws: RequestError.self) { try header.validate() }
            #expect(error?.subject == "Cookie")
        }
        var mended: Header = [cookie]
        mended.set(.cookie(["theme": "x"]))
        try mended.validate()
    }

    // MARK: Headers with random text

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
                        ? texts.next() ?? "" : HeaderTests.names.randomElement(using: &random) ?? "",
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
