import RequestsTesting
import Testing

@Suite("Client configuration", .timeLimit(.minutes(5)))
struct ClientConfigurationTests {
    private let api = BaseURL("https://api.example.com")
    private let sent = Recorder<PreparedRequest>()

    private func client(_ status: Int = 200, body: String = "", configure: (inout Client.Configuration) -> Void)
        -> Client
    {
        var configuration = Client.Configuration()
        configure(&configuration)
        let transport = StubTransport { [sent] request in
            sent.record(request)
            return try .stub(status, body: Data(body.utf8), for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("Fields of the client, the request, the body provider and the authentication provider replace earlier ones")
    func headerOrder() async throws {
        @Sendable func field(_ name: Field.Name, _ value: String) -> Field { Field(name: name, value: value) }
        let client = client {
            $0.header = [
                field("A", "client"), field("B", "client"), field("b", "client 2"), field("C", "client"),
                field("D", "client"),
                .contentType(.xml), .authorization("client"),
            ]
        }
        let body = BodyProvider { header in
            header.set(field("C", "body"))
            header.set(field("D", (header["D"] ?? "") + "+body"))
            header.set(.contentType(.png))
            return .data(Data())
        }
        let authentication = AuthenticationProvider { header in
            header.set(field("D", (header["D"] ?? "") + "+authentication"))
            header.set(.authorization("authentication"))
        }
        let request = api.post(body, to: "/").with(header: [
            field("B", "request"), field("C", "request"), field("D", "request"),
        ])
        .authenticated(with: authentication)
        try await client.send(request)
        #expect(
            sent.recorded.first?.header.dictionaryValue == [
                "A": "client", "B": "request", "C": "body", "D": "request+body+authentication",
                "Content-Type": "image/png", "Authorization": "authentication",
            ]
        )
        #expect(try request.prepared().header[values: "A"].isEmpty, "the client's header is no part of the request")
    }

    @Test("A request's field replaces all of the client's with its name, and other repeated fields stay")
    func headerMerge() async throws {
        let client = client {
            $0.header = [.acceptLanguage("en"), .acceptLanguage("de"), .accept(.json), .accept(.xml)]
        }
        try await client.send(api.delete("/").with(header: [Field(name: "ACCEPT-LANGUAGE", value: "fr")]))
        #expect(sent.recorded.first?.header[values: .acceptLanguage] == ["fr"])
        #expect(sent.recorded.first?.header[values: .accept].count == 2)
    }

    @Test("`.none` as body removes the client's Content-Type")
    func contentType() async throws {
        try await client { $0.header = [.contentType(.json)] }.send(api.delete("/"))
        #expect(sent.recorded.first?.header.isEmpty == true)
    }

    @Test(
        "By default the statuses 200 to 299 are accepted",
        arguments: [100, 199, 200, 204, 299, 300, 304, 404, 500, 999]
    )
    func validation(status: Int) async throws {
        // These statuses allow no body.
        let body = [204, 304].contains(status) ? "" : "why"
        let client = client(status, body: body) { _ in }
        guard !(200..<300).contains(status) else {
            try await client.send(api.delete("/"))
            return
        }
        let error = await #expect(throws: ResponseError.self) { try await client.send(api.delete("/a")) }
        #expect(error?.code == .status)
        #expect(error?.head.statusCode == status)
        #expect(error?.data == Data(body.utf8))
        #expect(error?.message == "DELETE https://api.example.com/a returned \(status) (\(body.count) bytes).")
    }

    @Test("A status that isn't accepted throws before the decoder runs, without revealing secrets")
    func validationFirst() async throws {
        let decoded = Recorder<Void>()
        let decoder = ResponseDecoder<Void>.reading { _, _ in decoded.record() }
        let request = api.get(decoder, from: "/").with(query: ["token": "s3cret"])
        let error = await #expect(throws: ResponseError.self) {
            try await client(401, body: "s3cret") { _ in }.send(request)
        }
        #expect(decoded.count == 0)
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test("The validation can check any part of the head")
    func ownValidation() async throws {
        let client = client(404) { $0.validation = Client.Validation { $0.statusCode == 404 && $0.url.path == "/a" } }
        try await client.send(api.delete("/a"))
        await #expect(throws: ResponseError.self) { try await client.send(api.delete("/b")) }
    }

    @Test("A body may have `maximumBodyBytes`, but not one byte more")
    func maximumBodyBytes() async throws {
        #expect(try await client(body: "12345") { $0.maximumBodyBytes = 5 }.send(api.get(.text, from: "/")) == "12345")
        let small = client(body: "12345") { $0.maximumBodyBytes = 4 }
        let error = await #expect(throws: TransportError.self) { try await small.send(api.get(.text, from: "/")) }
        #expect(error?.code == .tooLarge)
        await #expect(throws: TransportError.self) { try await small.send(api.delete("/")) }
        #expect(
            try await small.stream(api.get(.text, from: "/")).content.collect(upTo: 5).count == 5,
            "a stream has no limit"
        )
    }

    @Test("A body whose length is too large fails before it arrives", arguments: [0, 1])
    func largeLength(retries: Int) async throws {
        var configuration = Client.Configuration()
        configuration.maximumBodyBytes = 4
        configuration.retries = .fixed(.seconds(1), limit: retries)
        let transport = StubTransport { request in
            let head = try ResponseHead(statusCode: 200, header: ["Content-Length": "5"], url: request.url)
            return Response(head: head, content: ResponseBody(AsyncStream<Data> { _ in }))
        }
        let client = Client(transport: transport, configuration: configuration)
        let error = await #expect(throws: TransportError.self) { try await client.send(api.post(.none, to: "/")) }
        #expect(error?.code == .tooLarge)
    }

    @Test("Each timeout that the request doesn't set is the client's")
    func timeouts() async throws {
        let limits = Timeouts(connect: .seconds(1000), idle: .seconds(2000), total: .seconds(3000))
        let client = client { $0.timeouts = limits }
        try await client.send(api.delete("/"))
        try await client.send(api.delete("/").timeout(after: 20))
        try await client.send(api.delete("/").timeout(after: 60))
        try await client.send(api.delete("/").with(options: CallOptions(timeouts: Timeouts(total: .seconds(3500)))))
        _ = try await client.stream(api.delete("/"))
        #expect(
            sent.recorded.map(\.options.timeouts) == [
                limits,
                Timeouts(connect: .seconds(1000), idle: .seconds(20), total: .seconds(3000)),
                Timeouts(connect: .seconds(1000), idle: .seconds(60), total: .seconds(3000)),
                Timeouts(connect: .seconds(1000), idle: .seconds(2000), total: .seconds(3500)),
                limits,
            ]
        )
    }

    @Test("The default configuration has no fields and no limits")
    func defaults() async throws {
        try await client { _ in }.send(api.delete("/"))
        #expect(sent.recorded == [try api.delete("/").prepared()])
    }
}
