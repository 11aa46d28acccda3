import RequestsCompression
import RequestsTesting
import Testing

@Suite("Stub replies", .timeLimit(.minutes(5)))
struct StubReplyTests {
    private struct User: Codable, Equatable {
        var userName: String
    }

    private let api = BaseURL("https://api.example.com")

    private func response(
        of reply: StubTransport.Reply,
        to method: HTTPMethod = .get
    ) async throws -> Response<ResponseBody> {
        try await StubTransport(script: [reply]).send(PreparedRequest(method: method, url: RequestURL("https://h/a")))
    }

    private func body(of reply: StubTransport.Reply, to method: HTTPMethod = .get) async throws -> String {
        let data = try await response(of: reply, to: method).content.collect(upTo: 1000)
        return String(decoding: data, as: UTF8.self)
    }

    private func code(_ reply: StubTransport.Reply) async -> TransportError? {
        await #expect(throws: TransportError.self) { try await body(of: reply) }
    }

    @Test("a reply can be bytes, text, JSON or a file, with a media type")
    func kinds() async throws {
        let coders = JSONCoders(encoder: .snakeCase)
        let file = FileManager.default.temporaryDirectory.appending(path: "stub-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("fixture".utf8).write(to: file)

        #expect(try await body(of: .reply(200, data: Data("bytes".utf8))) == "bytes")
        #expect(try await body(of: .reply(200, text: "text")) == "text")
        let user = StubTransport.Reply.reply(200, json: User(userName: "Ada"), coders: coders)
        #expect(try await body(of: user) == #"{"user_name":"Ada"}"#)
        #expect(try await body(of: .reply(200, jsonText: #"{ "id":1}"#)) == #"{ "id":1}"#)
        #expect(try await response(of: .reply(200, jsonText: "{}")).head.header == [.contentType(.json)])
        #expect(try await body(of: .reply(200, file: file)) == "fixture")
        #expect(try await response(of: .reply(200)).head.header == .empty)
        let text = try await response(of: .reply(200, text: ""))
        #expect(text.head.header == [Field(name: .contentType, value: "text/plain; charset=utf-8")])
        #expect(try await response(of: .reply(200, json: 1)).head.header == [.contentType(.json)])
        let header: Header = [.contentType(.html)]
        #expect(try await response(of: .reply(200, header: header, text: "")).head.header == header)
    }

    @Test("a reply that can't be encoded or read throws the error")
    func unreadable() async throws {
        await #expect(throws: EncodingError.self) { try await body(of: .reply(200, json: Double.nan)) }
        await #expect(throws: CocoaError.self) {
            try await body(of: .reply(200, file: URL(filePath: "/nonexistent/fixture.json")))
        }
    }

    @Test("a closure returns any reply, and knows the number of its call")
    func respond() async throws {
        let transport = StubTransport(routes: [
            .get("/{id}", .respond { $0.call < 3 ? .reply(503) : .reply(200, text: try $0["id"]) })
        ])
        for status in [503, 503, 200] {
            #expect(
                try await transport.send(PreparedRequest(method: .get, url: RequestURL("https://h/7"))).statusCode
                    == status
            )
        }
        let script = StubTransport(script: [.reply(200), .respond { .reply(200, text: "\($0.call)") }])
        let client = Client(transport: script)
        _ = try await client.send(api.get(.text, from: "/"))
        #expect(try await client.send(api.get(.text, from: "/")) == "2")
        #expect(await code(.respond { _ in .failure(.closed) })?.code == .closed)
    }

    @Test("a body that the status doesn't allow is refused", arguments: [204, 304])
    func forbiddenBody(_ status: Int) async throws {
        let bodies: [StubTransport.Reply] = [
            .reply(status, text: "a"), .reply(status, jsonText: "{}"), .reply(status, chunks: [Data("a".utf8)]),
            StubTransport.Reply { try .stub(status, body: Data("a".utf8), for: $0) },
        ]
        for reply in bodies {
            let error = await code(reply)
            #expect(error?.code == .malformed)
            #expect(error?.message.contains("has the status \(status), which can't have a body") == true)
        }
        #expect(try await body(of: .reply(status)) == "")
        #expect(try await body(of: .reply(status, text: "")) == "")
    }

    @Test("a reply to HEAD has no body")
    func head() async throws {
        #expect(try await body(of: .reply(200, text: "text"), to: .head) == "")
        #expect(try await body(of: .reply(200, chunks: [Data("a".utf8)], failure: .closed), to: .head) == "")
        let created = StubTransport.Reply { try .stub(200, body: Data("a".utf8), for: $0) }
        #expect(try await body(of: created, to: .head) == "")
        let length: Header = [Field(name: .contentLength, value: "1")]
        #expect(try await response(of: .reply(200, header: length, text: "a"), to: .head).header[.contentLength] == "1")
    }

    private func gzipped(_ text: String) throws -> Data {
        let body = try api.post(.text(text).compressed(.gzip), to: "/").prepared().body
        return try #require(body.data)
    }

    @Test("an encoded reply is decoded, and its header doesn't describe the encoded body", arguments: [true, false])
    func encoded(hasObserver: Bool) async throws {
        let data = try gzipped("hello")
        let header: Header = [
            Field(name: .contentEncoding, value: "gzip"), Field(name: .contentLength, value: "\(data.count)"),
            .contentType(.plainText),
        ]
        for reply in [
            StubTransport.Reply.reply(200, header: header, data: data),
            .reply(200, header: header, chunks: data.map { Data([$0]) }),
            StubTransport.Reply { try .stub(200, header: header, body: data, for: $0) },
        ] {
            var request = try PreparedRequest(url: RequestURL("https://h/a"))
            if hasObserver { request.options.observer = { _ in } }
            let response = try await StubTransport(script: [reply]).send(request)
            #expect(response.header == [.contentType(.plainText)])
            #expect(try await response.content.collect(upTo: 100) == Data("hello".utf8))
        }
    }

    @Test("several encodings of a reply are decoded, and a trailer is kept")
    func encodedTwice() async throws {
        let inner = try gzipped("hello")
        let outer = try #require(try api.post(.raw(data: inner).compressed(.gzip), to: "/").prepared().body.data)
        let header = Header([Field(name: .contentEncoding, value: "gzip, x-gzip")])
        let content = try await response(of: .reply(200, header: header, chunks: [outer], trailers: ["X": "1"])).content
        #expect(try await content.collect(upTo: 100) == Data("hello".utf8))
        #expect(content.trailers == ["X": "1"])
    }

    @Test("a reply stays encoded if the request has its own Accept-Encoding, or the encoding is unknown")
    func stillEncoded() async throws {
        let data = try gzipped("hello")
        let cases: [(String, String?)] = [("gzip", "gzip"), ("unknown", nil), ("gzip, unknown", nil)]
        for (encoding, accepted) in cases {
            let header = Header([Field(name: .contentEncoding, value: encoding)])
            var request = try PreparedRequest(url: RequestURL("https://h/a"))
            if let accepted { request.header.add(Field(name: .acceptEncoding, value: accepted)) }
            let response = try await StubTransport(script: [.reply(200, header: header, data: data)]).send(request)
            #expect(response.header == header)
            #expect(try await response.content.collect(upTo: 100) == data)
        }
    }

    @Test("a reply that isn't in its encoding fails, as over a connection")
    func wronglyEncoded() async throws {
        let header = Header([Field(name: .contentEncoding, value: "gzip")])
        #expect(await code(.reply(200, header: header, text: "hello"))?.code == .decoding)
        #expect(await code(.reply(200, header: header, data: try gzipped("hello").dropLast()))?.code == .decoding)
    }

    @Test("a reply can consist of chunks and fail after the last one")
    func chunks() async throws {
        let pieces = ["a", "bc", "d"].map { Data($0.utf8) }
        var read: [Data] = []
        for try await piece in try await response(of: .reply(200, chunks: pieces)).content { read.append(piece) }
        #expect(read == pieces)

        read = []
        let broken = try await response(of: .reply(200, chunks: pieces, failure: .truncated)).content
        let error = await #expect(throws: TransportError.self) { for try await piece in broken { read.append(piece) } }
        #expect(read == pieces)
        #expect(error?.code == .truncated)
        #expect(error?.phase == .receiving)
    }

    @Test(
        "a failure has the usual phase of its code, or the given phase",
        arguments: [
            (TransportError.Code.cannotConnect, TransportError.Phase.connecting),
            (.timedOut(.connect), .connecting), (.timedOut(.total), .sending), (.closed, .sending),
            (.truncated, .receiving), (.unsupported, .preparing),
        ]
    )
    func phases(_ code: TransportError.Code, _ phase: TransportError.Phase) async throws {
        let error = await self.code(.failure(code))
        #expect(error?.code == code)
        #expect(error?.phase == phase)
        #expect(await self.code(.failure(code, phase: .receiving))?.phase == .receiving)
    }

    @Test("a reply can close the connection or stall after some bytes of its body", arguments: [0, 2, 4, 9])
    func faults(bytes: Int) async throws {
        let reply = StubTransport.Reply.reply(200, chunks: [Data("ab".utf8), Data("cd".utf8)])
        let stub = StubTransport(
            script: [reply.after(bytes: bytes, .close), reply.after(bytes: bytes, .stall)],
            clock: TestClock(isImmediate: true)
        )
        for code in [TransportError.Code.truncated, .timedOut(.idle)] {
            let body = try await stub.send(api.get(.none, from: "/").prepared()).content.makeAsyncIterator()
            var received = Data()
            let error = await #expect(throws: TransportError.self) {
                while let chunk = try await body.next() { received += chunk }
            }
            #expect(error?.code == code)
            #expect(received == Data("abcd".utf8).prefix(bytes))
        }
    }

    @Test("a delayed reply waits on the given clock")
    func delay() async throws {
        let clock = TestClock()
        let transport = StubTransport(script: [.reply(200, text: "late").delayed(by: .seconds(30), on: clock)])
        async let text = Client(transport: transport).send(api.get(.text, from: "/"))
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        #expect(try await text == "late")
        #expect(clock.sleeps == [.seconds(30)])
    }

    @Test(
        "a reply whose delay reaches a timeout of the request fails with that timeout",
        arguments: [
            (Timeouts(), .idle, .seconds(60)), (Timeouts(idle: .seconds(5)), .idle, .seconds(5)),
            (Timeouts(idle: .seconds(5), total: .seconds(3)), .total, .seconds(3)),
            (Timeouts(idle: .seconds(90), total: .seconds(90)), .total, .seconds(90)),
        ] as [(Timeouts, TransportError.Limit, Duration)]
    )
    func timeouts(_ timeouts: Timeouts, _ limit: TransportError.Limit, _ wait: Duration) async throws {
        let clock = TestClock(isImmediate: true)
        let transport = StubTransport(script: [.reply(200).delayed(by: .seconds(90))], clock: clock)
        let request = api.get(.none, from: "/").with(options: CallOptions(timeouts: timeouts))
        let context = SendContext(deadline: Deadline(after: timeouts.total, on: clock))
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(request.prepared(), context: context)
        }
        #expect(error?.code == .timedOut(limit))
        #expect(
            error?.message.hasSuffix(
                "the \(limit.rawValue) timeout of \(wait) was reached (timeouts.\(limit.rawValue))"
            ) == true
        )
        #expect(clock.sleeps == [wait])
    }

    @Test("a reply and an assertion read the query, a form and JSON of a request")
    func reading() async throws {
        let transport = StubTransport(
            routes: [
                .post("/form", .respond { try .reply(200, text: $0.request.form["a b"] ?? "none") }),
                .post("/**", .respond { try .reply(200, text: $0.request.json["user"]["name"]?.string ?? "none") }),
            ]
        )
        let client = Client(transport: transport)
        let json = api.post(.json(["user": ["name": "Ada"]]), to: "/json", receiving: .text)
        #expect(try await client.send(json.with(query: ["q": "x&y", "tag": ["1", "2"]])) == "Ada")
        let form = api.post(.form(["a b": "1+2 3"]), to: "/form", receiving: .text)
        #expect(try await client.send(form) == "1+2 3")
        let sent = transport.requests
        #expect(try sent[0].json([String: [String: String]].self) == ["user": ["name": "Ada"]])
        #expect(sent[0].query["q"] == "x&y")
        #expect(sent[0].query["tag"] == "1")
        #expect(sent[0].query[values: "tag"] == ["1", "2"])
        #expect(sent[0].query == ["q": "x&y", "tag": ["1", "2"]])
        #expect(try sent[0].json["user"]["name"] == "Ada")
        #expect(try sent[0].json["user"]["age"]["years"][0] == nil)
        #expect(try PreparedRequest(url: RequestURL("https://h/?dry")).query["dry"] == "")
        #expect(sent[1].query["q"] == nil)
        #expect(try sent[1].form["b"] == nil)
        #expect(throws: DecodingError.self) { try sent[1].json }
        #expect(throws: RequestError.self) { try sent[0].form["user"] }
        #expect(throws: RequestError.self) { try sent[0].part("user") }
    }

    @Test("a bearer token and the parts of a multipart body are one expression each")
    func readingParts() throws {
        let multipart: Multipart = [
            .field("title", "Summer"), .data("photo", Data([1, 2]), filename: "a.jpg", contentType: .jpeg),
        ]
        let sent = try api.post(.multipart(multipart), to: "/").authenticated(with: .bearerToken("t")).prepared()
        #expect(sent.bearerToken == "t")
        #expect(try sent.part("title")?.text == "Summer")
        #expect(try sent.part("photo")?.filename == "a.jpg")
        #expect(try sent.part("photo")?.contentType == .jpeg)
        #expect(try sent.part("photo")?.data == Data([1, 2]))
        #expect(try sent.part("other")?.text == nil)
        let basic = api.get(.none, from: "/").authenticated(with: .basicAuth(username: "u", password: "p"))
        #expect(try basic.prepared().bearerToken == nil)
    }

    @Test("bodies are read from files, and compressed ones are decoded")
    func readingBodies() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(#"{"a": 1}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let bodies: [BodyProvider] = [
            .file(file, contentType: .json), .json(["a": 1]).compressed(.gzip),
        ]
        for body in bodies {
            let sent = try api.post(body, to: "/").prepared()
            #expect(try sent.json["a"] == 1)
            #expect(try sent.json["a"] == 1, "a second time")
        }
        let chunks = try api.post(.chunks(AsyncStream<Data> { $0.finish() }), to: "/").prepared()
        let error = #expect(throws: RequestError.self) { try chunks.json }
        #expect(error?.code == .unreadableBody)
    }

    @Test("a script uses each reply once and then throws an error")
    func script() async throws {
        let transport = StubTransport(script: [.reply(503), .reply(200, text: "ok")])
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 3)
        configuration.clock = TestClock(isImmediate: true)
        let client = Client(transport: transport, configuration: configuration)
        #expect(try await client.send(api.get(.text, from: "/a")) == "ok")
        #expect(transport.requests.count == 2)
        let further = api.get(.text, from: "/b").with(query: ["key": "k"])
        let error = await #expect(throws: TransportError.self) { try await client.send(further) }
        #expect(
            error?.description == "unmatched: no reply for GET https://api.example.com/b?key=REDACTED; "
                + "the script has no more replies, so add one"
        )
    }
}

extension JSONEncoder {
    fileprivate static var snakeCase: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
    }
}
