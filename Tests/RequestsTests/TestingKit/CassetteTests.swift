import RequestsConformance
import RequestsTesting
import Testing

@Suite("Cassettes", .timeLimit(.minutes(5)))
final class CassetteTests {
    private let file = CassetteFile()
    private let echo = StubTransport { request in
        let header: Header = [.contentType(.plainText), Field(name: "X-Method", value: request.method.rawValue)]
        return try .stub(201, header: header, body: request.body.data ?? Data("none".utf8), for: request)
    }

    deinit { file.remove() }

    private func replaying(_ criteria: [Cassette.Criterion] = [.method, .url, .body]) throws -> Cassette {
        try Cassette(file.url, mode: .replay, matching: criteria)
    }

    private func failure(_ exchange: () async throws -> Void) async throws -> String {
        let error = await #expect(throws: TransportError.self) { try await exchange() }
        #expect(error?.code == .unmatched)
        return try #require(error).message
    }

    @Test("a recorded response is replayed with status, header, version and body")
    func replays() async throws {
        try await file.record(over: echo) { cassette in
            let live = try await cassette.exchange(.put, "https://h/a?b=c", body: .data(Data("d".utf8)))
            #expect(live.body == "d")
        }
        let replaying = try replaying()
        let (head, body) = try await replaying.exchange(.put, "https://h/a?b=c", body: .data(Data("d".utf8)))
        #expect(head.statusCode == 201)
        #expect(head.header == [.contentType(.plainText), Field(name: "X-Method", value: "PUT")])
        #expect(head.httpVersion == .http1_1)
        #expect(head.url.text == "https://h/a?b=c")
        #expect(body == "d")
        #expect(replaying.unused == [])
        #expect(echo.requests.count == 1)
    }

    @Test("bodies that aren't text are replayed unchanged")
    func binary() async throws {
        let bytes = Data([0xFF, 0x00, 0xFE])
        let transport = StubTransport { try .stub(200, body: $0.body.data ?? Data(), for: $0) }
        let request = try PreparedRequest(method: .post, url: RequestURL("https://h/"), body: .data(bytes))
        let secrets = Cassette.Secrets(unreadable: ["application/octet-stream"])
        try await file.record(over: transport, secrets: secrets) { cassette in _ = try await cassette.send(request) }
        let replaying = try Cassette(file.url, mode: .replay, secrets: secrets)
        #expect(try await replaying.send(request).content.collect(upTo: 3) == bytes)
        #expect(try file.text.contains(#""encoding" : "base64""#))
    }

    @Test("a recording of another server is replayed if only path and query are compared")
    func target() async throws {
        try await file.record(over: echo) { cassette in _ = try await cassette.exchange(.get, "http://h:8080/a?b=c") }
        let replaying = try replaying([.method, .target])
        let message = try await failure { _ = try await replaying.exchange(.get, "http://h:8081/a?b=d") }
        #expect(message.contains("the query item “b” differs"))
        let (head, _) = try await replaying.exchange(.get, "https://other:1/a?b=c")
        #expect(head.url.text == "https://other:1/a?b=c")
        await #expect(throws: TransportError.self) { try await self.replaying().exchange(.get, "http://h:1/a?b=c") }
        let byPath = try self.replaying([.method, .path])
        let other = try await failure { _ = try await byPath.exchange(.get, "http://h/b?b=c") }
        #expect(other.contains("the URL differs"))
        #expect(try await byPath.exchange(.get, "https://other:1/a?x").head.url.text == "https://other:1/a?x")
    }

    @Test("every response is replayed once, and those of equal requests in the recorded order")
    func order() async throws {
        try await file.record(over: StubTransport(script: [.reply(202), .reply(204), .reply(200)])) { cassette in
            for path in ["job", "other", "job"] { _ = try await cassette.exchange(.get, "https://h/\(path)") }
        }
        let replaying = try replaying()
        #expect(replaying.unused == ["GET https://h/job", "GET https://h/other", "GET https://h/job"])
        #expect(try await replaying.exchange(.get, "https://h/job").head.statusCode == 202)
        #expect(try await replaying.exchange(.get, "https://h/job").head.statusCode == 200)
        #expect(replaying.unused == ["GET https://h/other"])
        let message = try await failure { _ = try await replaying.exchange(.get, "https://h/job") }
        #expect(
            message == "no recorded response for GET https://h/job; the closest, 3 of 3, was already used; "
                + "record the request once for each time that it is sent"
        )
    }

    @Test("entries are in the order of requests, whatever the order of responses")
    func concurrent() async throws {
        let clock = TestClock()
        let transport = StubTransport(routes: [
            .get("/slow", .reply(200).delayed(by: .seconds(1), on: clock)), .get("/fast", .reply(200)),
        ])
        try await file.record(over: transport) { cassette in
            async let slow = cassette.exchange(.get, "https://h/slow")
            try await clock.waitForSleepers()
            _ = try await cassette.exchange(.get, "https://h/fast")
            clock.advance(by: .seconds(1))
            _ = try await slow
        }
        #expect(try replaying().unused == ["GET https://h/slow", "GET https://h/fast"])
    }

    @Test(
        "the error describes the difference between a request and the nearest recorded one",
        arguments: [
            ("PUT", "/users/7", "{}", "the method is “PUT”, not POST"),
            ("POST", "/users/8", "{}", "the URL differs"),
            ("POST", "/users/7?page=2", "{}", "the query item “page” differs"),
            ("POST", "/users/7", #"{"user":{"tags":["b"]}}"#, "the body differs in “user”"),
            ("POST", "/users/7", "", "the request has no body"),
        ]
    )
    func nearest(_ method: String, _ target: String, _ body: String, _ reason: String) async throws {
        try await file.record(over: echo) { cassette in
            _ = try await cassette.exchange(.get, "https://h/")
            _ = try await cassette.exchange(.post, "https://h/users/7", body: .data(Data("{}".utf8)))
        }
        let replaying = try replaying()
        let message = try await failure {
            let method = HTTPMethod(rawValue: method)
            _ = try await replaying.exchange(method, "https://h\(target)", body: .data(Data(body.utf8)))
        }
        #expect(
            message == "no recorded response for \(method) https://h\(target); the closest, 2 of 2, "
                + "is POST https://h/users/7, but \(reason)"
        )
    }

    @Test("the error of an empty cassette says that nothing is recorded")
    func empty() async throws {
        try await file.record(over: echo) { _ in }
        let replaying = try replaying()
        let message = try await failure { _ = try await replaying.exchange(.get, "https://h/") }
        #expect(message == "the empty cassette has no response for GET https://h/; record it")
    }

    @Test("the error contains the path at which JSON bodies differ, without the value")
    func jsonPlace() async throws {
        let recorded = #"{"id":1,"user":{"name":"Ada","tags":["a",null]}}"#
        try await file.record(over: echo) { cassette in
            _ = try await cassette.exchange(.post, "https://h/", body: .data(Data(recorded.utf8)))
        }
        let replaying = try replaying()
        for (body, place) in [
            (#"{"id":1,"user":{"name":"Ada","tags":["a",true]}}"#, "in “user.tags.1”"),
            (#"{"id":1,"user":{"tags":["a",null]}}"#, "in “user.name”"),
            (#"{"id":2,"user":{"name":"Ada","tags":["a",null]}}"#, "in “id”"),
            ("[1]", "starting at byte 1"),
        ] {
            let message = try await failure {
                _ = try await replaying.exchange(.post, "https://h/", body: .data(Data(body.utf8)))
            }
            #expect(message.hasSuffix("the body differs \(place)"))
        }
    }

    @Test("JSON bodies are compared as values, because the order of keys may change between processes")
    func jsonOrder() async throws {
        try await file.record(over: echo) { cassette in
            _ = try await cassette.exchange(.post, "https://h/", body: .data(Data(#"{"a":1,"b":[2]}"#.utf8)))
        }
        let replaying = try replaying()
        _ = try await replaying.exchange(.post, "https://h/", body: .data(Data(#"{"b": [2], "a": 1}"#.utf8)))
    }

    @Test("the boundaries of multipart bodies are ignored, because they may change between processes")
    func multipart() async throws {
        let api = BaseURL("https://h")
        func upload(_ title: String, boundary: String) -> Request<BaseURL, Void> {
            let text =
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n\(title)\r\n--\(boundary)--\r\n"
            let type = MediaType(type: "multipart", subtype: "form-data", parameters: [("boundary", boundary)])
            return api.post(.raw(data: Data(text.utf8), contentType: type), to: "/")
        }
        try await file.record(over: echo) { transport in
            try await Client(transport: transport).send(upload("Summer", boundary: "Requests-1"))
        }
        let client = Client(transport: try replaying())
        await #expect(throws: TransportError.self) { try await client.send(upload("Winter", boundary: "Requests-1")) }
        try await client.send(upload("Summer", boundary: "Requests-2"))
    }

    @Test("requests are matched only by the given criteria")
    func criteria() async throws {
        let tenant: @Sendable (String) -> Header = { [Field(name: "X-Tenant", value: $0)] }
        try await file.record(over: StubTransport(script: [.reply(201), .reply(202)])) { cassette in
            _ = try await cassette.exchange(.get, "https://h/a", header: tenant("a"))
            _ = try await cassette.exchange(.get, "https://h/a", header: tenant("b"))
        }
        let replaying = try replaying([.header("x-tenant")])
        #expect(try await replaying.exchange(.put, "https://h/z", header: tenant("b")).head.statusCode == 202)
        let message = try await failure { _ = try await replaying.exchange(.get, "https://h/a", header: tenant("c")) }
        #expect(message.hasSuffix("but the header field x-tenant differs"))
        #expect(try await self.replaying([]).exchange(.delete, "https://h/y").head.statusCode == 201)
    }

    @Test("a failed request isn't recorded, and its error is rethrown")
    func failures() async throws {
        let transport = StubTransport(script: [.failure(.closed), .reply(200)])
        try await file.record(over: transport) { cassette in
            let error = await #expect(throws: TransportError.self) {
                _ = try await cassette.exchange(.get, "https://h/a")
            }
            #expect(error?.code == .closed)
            _ = try await cassette.exchange(.get, "https://h/b")
        }
        #expect(try replaying().unused == ["GET https://h/b"])
    }

    @Test("an encoded body is replayed with its Content-Encoding")
    func coded() async throws {
        let header: Header = [Field(name: .contentEncoding, value: "zebra")]
        let live = Recorder<Header>()
        let secrets = Cassette.Secrets(unreadable: ["zebra"])
        let server = StubTransport(script: [.reply(200, header: header, text: "coded")])
        try await file.record(over: server, secrets: secrets) { cassette in
            #expect(!cassette.capabilities.contains(.backPressure))
            live.record(try await cassette.exchange(.get, "https://h/").head.header)
        }
        let again = try await replaying().exchange(.get, "https://h/")
        #expect(again.body == "coded")
        #expect(again.head.header[.contentEncoding] == "zebra")
        #expect([again.head.header] == live.recorded)
    }

    @Test("a stream body is read once and sent as data")
    func streams() async throws {
        let body = RequestBody.oneShot(Data("stream".utf8))
        try await file.record(over: echo) { cassette in
            let live = try await cassette.exchange(.post, "https://h/", body: body)
            #expect(live.body == "stream")
        }
        #expect(echo.requests.first?.body == .data(Data("stream".utf8)))
        let again = RequestBody.oneShot(Data("stream".utf8))
        #expect(try await replaying().exchange(.post, "https://h/", body: again).body == "stream")
    }

    @Test("a body above the cassette's limit throws")
    func limit() async throws {
        let five = Data("12345".utf8)
        let transport = StubTransport { try .stub(200, body: five, for: $0) }
        let cassette = try Cassette(file.url, mode: .record(over: transport), maximumBodyBytes: 4)
        let request = await #expect(throws: TransportError.self) {
            _ = try await cassette.exchange(.post, "https://h/", body: .data(five))
        }
        #expect(request?.code == .unsupported)
        #expect(transport.requests.isEmpty)
        let response = await #expect(throws: TransportError.self) {
            _ = try await cassette.exchange(.get, "https://h/")
        }
        #expect(response?.code == .tooLarge)
    }

    @Test("shutdown saves the cassette, and later requests throw")
    func shutdown() async throws {
        let cassette = try Cassette(file.url, mode: .record(over: echo))
        _ = try await cassette.exchange(.get, "https://h/")
        await cassette.shutdown()
        await cassette.shutdown()
        #expect(try replaying().unused.count == 1)
        let error = await #expect(throws: TransportError.self) { _ = try await cassette.exchange(.get, "https://h/") }
        #expect(error?.code == .shutdown)
    }

    @Test("the error for an unreadable file contains its path and the reason")
    func unreadable() throws {
        let missing = #expect(throws: CassetteError.self) { try replaying() }
        #expect(
            missing?.description
                == "can't read \(file.url.path()): No such file or directory; record the cassette first, with the "
                + "environment REQUESTS_CASSETTES=record"
        )
        let folder = file.url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let unreadable = #expect(throws: CassetteError.self) { try Cassette(folder, mode: .replay) }
        #expect(unreadable?.description == "can't read \(folder.path()): Is a directory")
        for (text, reason) in [
            ("no", "it isn't JSON"), ("{}", "log is missing"),
            (
                #"{"log":{"version":"1.2","creator":{"name":"n","version":"1"},"entries":[3]}}"#,
                "log.entries.0 has the wrong"
            ),
        ] {
            try Data(text.utf8).write(to: file.url)
            let error = #expect(throws: CassetteError.self) { try replaying() }
            #expect(error?.description.hasPrefix("\(file.url.path()) isn't a HAR 1.2 archive: \(reason)") == true)
        }
    }
}
