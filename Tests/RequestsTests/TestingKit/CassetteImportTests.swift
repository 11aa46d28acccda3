import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Archives of browsers", .timeLimit(.minutes(5)))
struct CassetteImportTests {
    private func cassette(
        _ entries: String,
        matching criteria: [Cassette.Criterion] = [.method, .url]
    ) throws -> Cassette {
        let file = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(
            #"{"log": {"version": "1.2", "creator": {"name": "b", "version": "1"}, "entries": [\#(entries)]}}"#.utf8
        )
        .write(to: file)
        return try Cassette(file, mode: .replay, matching: criteria)
    }

    @Test("an archive with only the necessary fields is replayed")
    func lenient() async throws {
        let cassette = try cassette(
            #"""
            {"request": {"method": "POST", "url": "https://h/a#top", "postData": {"params": [{"name": "a", "value": "1"}]}},
             "response": {"status": 200, "content": {"text": "hello"}}, "timings": {"wait": null}},
            {"request": {"method": "GET", "url": "https://h/empty", "headers": [{"name": ":path", "value": "/"}]},
             "response": {"status": 204}}
            """#
        )
        #expect(try await cassette.exchange(.post, "https://h/a").body == "hello")
        #expect(try await cassette.exchange(.get, "https://h/empty").head.statusCode == 204)
    }

    @Test(
        "a form that was recorded as items matches, encoded or not, and its secrets are redacted",
        arguments: [
            Named("decoded", #"{"name": "a b", "value": "1 é&="}, {"name": "password", "value": "s3cret"}"#),
            Named("encoded", #"{"name": "a+b", "value": "1%20%C3%A9%26%3d"}, {"name": "password", "value": "s3cret"}"#),
        ],
        [true, false]
    )
    func items(_ params: Named<String>, hasType: Bool) async throws {
        let type = hasType ? #""mimeType": "application/x-www-form-urlencoded", "text": "", "# : ""
        let cassette = try cassette(
            #"""
            {"request": {"method": "POST", "url": "https://h/a", "postData": {\#(type)"params": [\#(params.value)]}},
             "response": {"status": 200, "content": {"text": "hello"}}}
            """#,
            matching: [.method, .url, .body]
        )
        let body = RequestBody.data(Data("a+b=1+%C3%A9%26%3D&password=other".utf8))
        let response = try await cassette.exchange(
            .post,
            "https://h/a",
            header: [.contentType(.urlEncodedForm)],
            body: body
        )
        #expect(response.body == "hello")
    }

    @Test(
        "a default port makes no difference, and another one does",
        arguments: [
            ("https://h:443/a", "https://h/a", true), ("https://h/a", "https://h:443/a", true),
            ("http://h:80", "http://h/", true), ("https://h:80/a", "https://h/a", false),
            ("http://h/a", "https://h/a", false),
        ]
    )
    func ports(_ recorded: String, _ sent: String, _ matches: Bool) async throws {
        let cassette = try cassette(
            #"{"request": {"method": "GET", "url": "\#(recorded)"}, "response": {"status": 204}}"#
        )
        if matches {
            #expect(try await cassette.exchange(.get, sent).head.statusCode == 204)
        } else {
            await #expect(throws: TransportError.self) { try await cassette.exchange(.get, sent) }
        }
    }

    @Test("entries that aren't complete HTTP exchanges are skipped")
    func skipped() throws {
        let entries = [("data:text/plain,a", 200), ("https://h/blocked", 0), ("wss://h/s", 101), ("https://h/s", 101)]
            .map { #"{"request": {"method": "GET", "url": "\#($0)"}, "response": {"status": \#($1)}}"# }
        #expect(try cassette(entries.joined(separator: ",")).unused.isEmpty)
    }

    @Test("an entry without a date has expired")
    func undated() throws {
        let entry = #"{"request": {"method": "GET", "url": "https://h/a"}, "response": {"status": 200}}"#
        let file = FileManager.default.temporaryDirectory.appending(path: "undated-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let log = #"{"log": {"version": "1.2", "creator": {"name": "b", "version": "1"}, "entries": [\#(entry)]}}"#
        try Data(log.utf8).write(to: file)
        let error = #expect(throws: CassetteError.self) { try Cassette(file, mode: .replay, expires: .seconds(1)) }
        #expect(error?.message.contains("GET https://h/a was recorded without a date") == true)
    }

    @Test("values that are joined by a line break are fields of their own", arguments: ["\\n", "\\r\\n"])
    func joinedFields(lineBreak: String) async throws {
        let cassette = try cassette(
            #"""
            {"request": {"method": "GET", "url": "https://h/a"}, "response": {"status": 200, "headers": [
             {"name": "Set-Cookie", "value": "a=1; Path=/\#(lineBreak)b=2"},
             {"name": "Link", "value": "</1>; rel=next\#(lineBreak)</2>; rel=last"}]}}
            """#
        )
        let header = try await cassette.exchange(.get, "https://h/a").head.header
        #expect(header[values: .setCookie].map { String($0.prefix(3)) } == ["a=1", "b=2"])
        #expect(header[values: "Link"].count == 2)
        #expect(!header.contains { $0.value.contains { $0.isNewline } })
    }

    @Test(
        "the text of a body is UTF-8, whatever the charset of the response",
        arguments: ["iso-8859-1", "ISO-8859-15", "utf-16le", "Shift_JIS", "utf-8"]
    )
    func charset(name: String) async throws {
        let cassette = try cassette(
            #"""
            {"request": {"method": "GET", "url": "https://h/a"}, "response": {"status": 200, "headers": [
             {"name": "Content-Type", "value": "text/plain; charset=\#(name)"}, {"name": "Content-Length", "value": "4"}],
             "content": {"mimeType": "text/plain; charset=\#(name)", "text": "Zoë"}}}
            """#
        )
        let client = Client(transport: cassette)
        #expect(try await client.send(BaseURL("https://h").get(.text, from: "/a")) == "Zoë")
    }

    @Test("a recorded body in another charset is replayed as it was sent", arguments: [[0xE9], [0xC3, 0xA9], [0x61]])
    func recordedCharset(bytes: [UInt8]) async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let header: Header = [Field(name: .contentType, value: "text/plain; charset=iso-8859-1")]
        let server = StubTransport { try .stub(200, header: header, body: Data(bytes), for: $0) }
        let request = BaseURL("https://h").get(.text, from: "/a")
        try await file.record(over: server) { _ = try await Client(transport: $0).send(request) }
        let live = try await Client(transport: server).send(request)
        let client = try Client(transport: Cassette(file.url, mode: .replay))
        let response = try await client.response(for: request)
        #expect(response.content == live)
        #expect(response.head.header[.contentType] == header[.contentType])
    }
}
