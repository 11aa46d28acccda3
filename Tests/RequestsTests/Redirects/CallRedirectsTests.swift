import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Redirects and the history of a call", .timeLimit(.minutes(5)))
struct CallRedirectsTests {
    private typealias Reply = ScriptedTransport.Reply

    private let api = BaseURL("https://a.example")

    @Test("The history contains redirects, challenges and refused expectations, without retried responses")
    func history() async throws {
        let script: [Reply] = [
            .status(401), .status(417), .status(401), .status(503), .status(401), .redirect(to: "/next"), .status(401),
            .status(200),
        ]
        let transport = ScriptedTransport(script)
        let events = Recorder<LogDestination.Event>()
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: 2)
            $0.authenticate("https://a.example", with: .answering([401]))
            $0.log = LogDestination { events.record($0) }
        }
        let request = api.get(.text, from: "/").adding(headerField: Field(name: "Expect", value: "x"))
        let response = try await client.response(for: request)
        #expect(response.head.statusCode == 200)
        #expect(response.head.url.text == "https://a.example/next")
        #expect(response.history.map(\.statusCode) == [401, 417, 401, 302, 401])
        #expect(transport.sent.map(\.attempt) == [1, 1, 1, 1, 2, 2, 1, 1])
        #expect(transport.values(of: "Expect") == ["x", "x", nil, nil, nil, nil, nil, nil])
        #expect(transport.values(of: .authorization) == ["1", "2", "1", "2", "1", "2", "1", "2"])
        let next = "https://a.example/next"
        #expect(transport.urls == Array(repeating: "https://a.example/", count: 6) + [next, next])
        #expect(transport.clock.waits == [.seconds(1)])
        // The numbers of the calls are left out.
        let lines = events.recorded.map { String($0.description.drop { $0 != " " }.dropFirst()) }
        #expect(
            lines.dropFirst().dropLast() == [
                "sent", "sent after status 401", "sent after status 417", "sent after status 401",
                "will be sent again after 1 s: status 503", "sent", "sent after status 401",
                "sent to https://a.example/next after status 302", "sent to https://a.example/next after status 401",
            ]
        )
    }

    @Test(
        "A redirect that isn't followed ends the call with its error, and the connection is freed",
        arguments: [
            (Named("to http", ["http://a.example/"]), 10, "refusedDowngrade"),
            (Named("above the limit", ["/1", "/2"]), 1, "redirectLimit"),
            (Named("to no URL", ["http://["]), 10, "invalidRedirect"),
        ]
    )
    func refused(locations: Named<[String]>, limit: Int, code: String) async {
        let freed = Recorder<Void>()
        let script = locations.value.map { location in
            Reply {
                let body = ResponseBody(AsyncStream<Data> { $0.finish() }, onCancel: { freed.record() })
                return try Response(status: 302, header: [.location: location], content: body, for: $0)
            }
        }
        let transport = ScriptedTransport(script + [.status(200)])
        let client = transport.client {
            $0.redirects = .follow(limit: limit)
            $0.retries = .fixed(.seconds(1), limit: 2)
        }
        let error = await failure { try await client.send(api.get(.none, from: "/")) }
        #expect(errorCode(error) == code)
        #expect((error as? ClientError)?.history.map(\.statusCode) == locations.value.map { _ in 302 })
        #expect(transport.sent.count == locations.value.count)
        #expect(transport.clock.waits == [])
        // The body of a redirect that was followed has been read to its end.
        #expect(freed.count == 1)
    }

    @Test("A redirect starts with all of its retries")
    func retries() async {
        let failing: [Reply] = [.status(503), .refused]
        let transport = ScriptedTransport(failing + [.redirect(to: "/next")] + failing + [.status(200)])
        let client = transport.client { $0.retries = .fixed(.seconds(1), limit: 2) }
        #expect(await failure { try await client.send(api.get(.none, from: "/")) } == nil)
        #expect(transport.sent.map(\.attempt) == [1, 2, 3, 1, 2, 3])
        #expect(transport.clock.waits == Array(repeating: .seconds(1), count: 4))
    }

    // MARK: Redirects of a client

    private let sent = Recorder<PreparedRequest>()

    /// Responds to paths with redirects to others, and with the path if there is none.
    private func client(
        _ locations: [String: String],
        status: Int = 302,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configure(&configuration)
        let transport = StubTransport { [sent] request in
            sent.record(request)
            guard let location = locations[request.url.text] else {
                return try .stub(200, body: Data(request.url.path.utf8), for: request)
            }
            return try .stub(status, header: [Field(name: .location, value: location)], for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("Credentials are never restored after a redirect to another origin")
    func credentials() async throws {
        let client = client([
            "https://a.example/1": "/2", "https://a.example/2": "https://b.example/3",
            "https://b.example/3": "https://a.example/4",
        ]) {
            $0.header = [Field(name: "x-api-key", value: "k")]
            $0.authenticate("https://a.example", with: .bearerToken("client"))
        }
        for provider in [AuthenticationProvider.inherited, .bearerToken("t"), .asynchronous] {
            let request = api.get(.text, from: "/1").authenticated(with: provider)
                .adding(headerFields: [Field(name: "cookie", value: "c"), Field(name: "X-Own", value: "o").sensitive()])
            _ = try await client.send(request)
        }
        let names: [Field.Name] = [.authorization, .cookie, "X-Own", "X-Api-Key"]
        let kept = sent.recorded.map { request in names.filter { request.header.contains($0) } }
        #expect(kept == Array(repeating: [names, names, [], []], count: 3).flatMap { $0 })
    }

    @Test("The client and the request can turn off redirects, and the request wins")
    func switches() async throws {
        let locations = ["https://a.example/1": "/2"]
        let never = client(locations) { $0.redirects = .never }
        #expect(try await never.stream(api.get(.text, from: "/1")).head.statusCode == 302)
        #expect(try await never.send(api.get(.text, from: "/1").redirecting(.follow())) == "/2")
        let error = await #expect(throws: ResponseError.self) {
            try await client(locations).send(api.get(.text, from: "/1").redirecting(.never))
        }
        #expect(error?.head.statusCode == 302)
    }

    @Test(
        "Up to 64 KiB of a redirect's body are read to reuse the connection, and a larger body is canceled",
        arguments: [(64 << 10, 0), (64 << 10 + 1, 1)]
    )
    func drains(count: Int, cancellations: Int) async throws {
        let canceled = Recorder<Void>()
        let transport = StubTransport { request in
            guard request.url.path == "/1" else { return try .stub(200, for: request) }
            let body = AsyncStream<Data> { continuation in
                continuation.yield(Data(count: 1))
                continuation.yield(Data(count: count - 1))
                continuation.finish()
            }
            let header: Header = [Field(name: .location, value: "/2")]
            return Response(
                head: try ResponseHead(statusCode: 301, header: header, url: request.url),
                content: ResponseBody(body, onCancel: { canceled.record() })
            )
        }
        var configuration = Client.Configuration()
        configuration.drainingClock = TestClock()
        try await Client(transport: transport, configuration: configuration).send(api.get(.none, from: "/1"))
        #expect(canceled.count == cancellations)
    }
}

extension AuthenticationProvider {
    fileprivate static let asynchronous = AuthenticationProvider.asynchronous { request in
        request.header.set(.authorization("a"))
    }
}
