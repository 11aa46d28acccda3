import RequestsTesting
import Testing

@Suite("The log of a client", .timeLimit(.minutes(5)))
struct LogTests {
    private struct Own: Error, CustomStringConvertible {
        var description: String { "s3cret" }
    }

    private let api = BaseURL("https://a.example")
    private let events = Recorder<LogDestination.Event>()
    private let clock = TestClock(isImmediate: true)

    private func client(
        configure: (inout Client.Configuration) -> Void = { _ in },
        respond: @escaping @Sendable (PreparedRequest) throws -> Response<ResponseBody>
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.log = LogDestination { [events] in events.record($0) }
        configure(&configuration)
        let transport = StubTransport { [clock] request in
            clock.advance(by: .seconds(1))
            return try respond(request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    private var lines: [String] {
        events.recorded.map { String($0.description.drop { $0 != " " }.dropFirst()) }
    }

    @Test("The log contains the start and end of each call, and each attempt")
    func lines() async throws {
        let client = client {
            $0.retries = .fixed(.seconds(2))
        } respond: { [events] request in
            if request.url.path == "/1" {
                return try .stub(302, header: [Field(name: .location, value: "/2")], for: request)
            }
            if events.count == 3 { throw TransportError(code: .closed, message: "gone", phase: .sending) }
            return try .stub(events.count < 6 ? 503 : 200, body: Data("12345".utf8), for: request)
        }
        try await client.send(api.get(.none, from: "/1").with(header: [.accept(.json), .authorization("s3cret")]))
        let request = "GET https://a.example/1"
        #expect(
            lines == [
                "\(request) started, no body, Accept: application/json, Authorization: REDACTED",
                "sent", "sent to https://a.example/2 after status 302",
                "will be sent again after 2 s: closed: gone", "sent to https://a.example/2",
                "will be sent again after 2 s: status 503", "sent to https://a.example/2",
                "\(request) returned 200, 5 bytes after 8 s",
            ]
        )
        #expect(Set(events.recorded.map(\.call)).count == 1)
    }

    @Test(
        "Each start has exactly one end, whatever happens",
        arguments: ["status", "own", "unbuilt", "decoder", "cancelled", "stream"]
    )
    func pairs(fault: String) async throws {
        let client = client { request in
            switch fault {
            case "own": throw Own()
            case "cancelled": throw CancellationError()
            default: try .stub(fault == "status" ? 404 : 200, body: Data("body".utf8), for: request)
            }
        }
        let decoder = ResponseDecoder<Void>.reading { _, _ in if fault == "decoder" { throw Own() } }
        let request = api.get(decoder, from: fault == "unbuilt" ? "/.." : "/a").with(query: ["token": "s3cret"])
        if fault == "stream" { _ = try await client.stream(request) } else { _ = await client.result(of: request) }
        let expected = [
            "status": "failed after 1 s: status: GET https://a.example/a?token=REDACTED returned 404 (4 bytes).",
            "own": "failed after 1 s: Own", "decoder": "failed after 1 s: Own",
            "cancelled": "was canceled after 1 s", "stream": "returned 200 after 1 s",
        ]
        #expect(lines.first?.contains(" started, no body") == true)
        #expect(lines.filter { $0.contains(" started") }.count == 1)
        let ends = [" failed after ", " was canceled after ", " returned 200"]
        #expect(lines.filter { line in ends.contains { line.contains($0) } }.count == 1)
        if let words = expected[fault] {
            #expect(lines.last == "GET https://a.example/a?token=REDACTED \(words)")
        } else {
            #expect(lines.last?.contains("failed after 0 ms: dotSegment: ") == true)
        }
    }

    @Test(
        "Durations have readable units",
        arguments: [
            (0, "0 ms"), (15, "15 µs"), (81, "81 µs"), (130, "0.1 ms"), (4_600, "4.6 ms"), (12_345, "12 ms"),
            (999_400, "999 ms"), (999_900, "1 s"),
            (1_249_000, "1.2 s"), (9_960_000, "10 s"), (61_700_000, "62 s"),
        ]
    )
    func durations(microseconds: Int, words: String) async throws {
        let client = client { [clock] _ in
            clock.advance(by: .microseconds(microseconds) - .seconds(1))
            throw Own()
        }
        _ = await client.result(of: api.get(.none, from: "/"))
        #expect(lines.last == "GET https://a.example/ failed after \(words): Own")
    }

    @Test("The log has the number of received bytes", arguments: [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes")])
    func bytes(count: Int, words: String) async throws {
        let client = client { try .stub(200, body: Data(count: count), for: $0) }
        #expect(try await client.send(api.get(.data, from: "/")).count == count)
        #expect(lines.last == "GET https://a.example/ returned 200, \(words) after 1 s")
    }

    @Test("Calls are numbered, whether or not there are listeners for failures")
    func numbers() async throws {
        let client = client { try .stub(200, for: $0) }
        try await client.send(api.get(.none, from: "/"))
        let failures = client.failures()
        try await client.send(api.get(.none, from: "/"))
        withExtendedLifetime(failures) {}
        #expect(Set(events.recorded.map(\.call)) == [1, 2])
    }

    @Test("The names that a request unredacts are shown")
    func unredacted() async throws {
        var request = api.get(.none, from: "/").with(header: [
            .authorization("one"), Field(name: "X-Api-Key", value: "two"),
            Field(name: "X-Own", value: "three").sensitive(),
        ])
        request.options.unredactedNames = ["authorization", "X-OWN"]
        try await client { try .stub(200, for: $0) }.send(request)
        #expect(
            lines.first == "GET https://a.example/ started, no body, Authorization: one, X-Api-Key: REDACTED, "
                + "X-Own: three"
        )
    }

    @Test("Credentials in the URLs of a header are hidden")
    func urlsInHeader() async throws {
        let request = api.get(.none, from: "/").with(header: [
            Field(name: .referer, value: "https://user:s3cret@b.example/?token=s3cret")
        ])
        try await client { try .stub(200, for: $0) }.send(request)
        #expect(
            lines.first == "GET https://a.example/ started, no body, Referer: https://REDACTED@b.example/"
                + "?token=REDACTED"
        )
        guard case .started(let header, _)? = events.recorded.first?.kind else { throw Own() }
        #expect(header.first?.value.contains("s3cret") == false)
    }

    @Test("Events have the method and the origin of the request, and failures have a code and a status")
    func parts() async throws {
        let faulty = client { _ in throw Own() }
        _ = await faulty.result(of: api.put(.text("x"), to: "/a"))
        #expect(events.recorded.map(\.method) == [.put, .put, .put])
        #expect(Set(events.recorded.map(\.origin?.description)) == ["https://a.example"])
        _ = await client { try .stub(404, for: $0) }.result(of: api.get(.none, from: "/a"))
        _ = await faulty.result(of: api.get(.none, from: "/.."))
        #expect(events.recorded.last?.method == nil)
        #expect(events.recorded.last?.origin == nil)
        let failures = events.recorded.compactMap { event in
            if case .failed(let code, let status, _, _) = event.kind { "\(code) \(status ?? 0)" } else { nil }
        }
        #expect(failures == ["Own 0", "status 404", "dotSegment 0"])
    }

    @Test("Events go to several destinations, and aren't made without one")
    func destinations() async throws {
        let other = Recorder<LogDestination.Event>()
        let both = LogDestination.all(
            LogDestination { other.record($0) },
            .none,
            LogDestination { [events] in events.record($0) }
        )
        try await client {
            $0.log = both
        } respond: {
            try .stub(200, for: $0)
        }.send(api.delete("/"))
        #expect(other.recorded.map(\.description) == events.recorded.map(\.description))
        #expect(other.count == 3)
        for none in [LogDestination.none, .all(), .all(.none)] {
            try await client {
                $0.log = none
            } respond: {
                try .stub(200, for: $0)
            }.send(api.delete("/"))
        }
        #expect(other.count == 3)
    }

    @Test("A log event is one line, whatever a header contains")
    func oneLine() async throws {
        let header: Header = [Field(name: "X", value: "a\u{2028}b\u{200B}").sensitive(false)]
        try await client { try .stub(200, for: $0) }.send(api.delete("/").with(header: header))
        #expect(lines.first?.hasSuffix(#"X: a\u{2028}b\u{200B}"#) == true)
    }
}
