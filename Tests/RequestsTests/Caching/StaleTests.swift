import RequestsCache
import RequestsTesting
import Testing

@Suite("Stale responses", .timeLimit(.minutes(5)))
struct StaleTests {
    enum Failure: String, CaseIterable {
        case closed, dns, untrusted, status500, status503, status404

        var reply: StubTransport.Reply {
            switch self {
            case .closed: .failure(.closed)
            case .dns: .failure(.nameNotResolved)
            case .untrusted: .failure(.tlsUntrusted)
            case .status500: .reply(500)
            case .status503: .reply(503)
            case .status404: .reply(404)
            }
        }
    }

    /// The directives of a response that has been stale for 5 seconds, and after which failures it is served.
    static let rows: [(stored: String, request: Header, failures: Set<Failure>)] = [
        ("max-age=5", [:], [.closed, .dns]),
        ("max-age=5, stale-if-error=60", [:], [.closed, .dns, .status500, .status503]),
        ("max-age=5, stale-if-error=\"60\"", [:], [.closed, .dns, .status500, .status503]),
        ("max-age=5, stale-if-error=4", [:], [.closed, .dns]), ("max-age=5, stale-if-error=x", [:], [.closed, .dns]),
        ("max-age=5", [.cacheControl: "stale-if-error=60"], [.closed, .dns, .status500, .status503]),
        ("max-age=5, must-revalidate, stale-if-error=60", [:], []), ("max-age=5, no-cache, stale-if-error=60", [:], []),
        ("max-age=5, must-revalidate", [:], []), ("no-cache", [:], []),
        ("max-age=5, stale-if-error=60", [.cacheControl: "no-cache"], []),
        ("max-age=5, stale-if-error=60", ["Pragma": "no-cache"], []),
        ("max-age=5, stale-if-error=60", [.cacheControl: "max-age=60"], []),
        ("max-age=5, stale-if-error=60", [.cacheControl: "min-fresh=1"], []),
        ("max-age=5, proxy-revalidate", [:], [.closed, .dns]), ("max-age=5, s-maxage=1", [:], [.closed, .dns]),
    ]

    /// Rules for an app that works offline.
    static var offline: HTTPCache.Rules {
        var rules = HTTPCache.Rules()
        rules.servesStaleIfDisconnected = true
        return rules
    }

    @Test(
        "RFC 9111 §4.2.4, RFC 5861 §4: a stale response replaces a failure if that is allowed",
        arguments: rows.indices
    )
    func failures(index: Int) async throws {
        let (stored, request, failures) = Self.rows[index]
        for failure in Failure.allCases {
            let bench = CacheBench(rules: Self.offline)
            bench.respond(.reply(200, header: [.cacheControl: stored, "ETag": "\"a\""], text: "body"), failure.reply)
            try await bench.send()
            bench.pass(10)
            let response = try? await bench.send(header: request)
            let isStale = response?.head.cacheStatus?.kind == .stale
            #expect(isStale == failures.contains(failure), "\(stored) after \(failure)")
            if isStale { #expect(response?.content == Data("body".utf8)) }
        }
    }

    @Test(
        "RFC 9111 §4.2.4: a server that takes too long for an attempt is unreachable, and a call that does isn't",
        arguments: [
            (.timedOut(.connect), true), (.timedOut(.idle), true), (.timedOut(.attempt), true),
            (.timedOut(.total), false), (.malformed, false), (.tlsUntrusted, false),
        ] as [(TransportError.Code, Bool)]
    )
    func timeouts(code: TransportError.Code, isStale: Bool) async throws {
        let bench = CacheBench(rules: Self.offline)
        bench.respond(.reply(200, header: [.cacheControl: "max-age=5"], text: "body"), .failure(code))
        try await bench.send()
        bench.pass(10)
        #expect((try? await bench.send())?.head.cacheStatus?.kind == (isStale ? .stale : nil))
    }

    @Test("No stale response is served for an unreachable server, unless the rules say so")
    func disconnected() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=5"], text: "body"), .failure(.closed))
        try await bench.send()
        bench.pass(10)
        await #expect(throws: TransportError.self) { try await bench.send() }
    }

    @Test("A forced validation is never answered stale")
    func forced() async throws {
        let bench = CacheBench(rules: Self.offline)
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], text: "body"), .failure(.closed))
        try await bench.send()
        bench.pass(100)
        await #expect(throws: TransportError.self) { try await bench.send(policy: .reloadRevalidatingCacheData) }
        #expect(try await bench.send().head.cacheStatus?.kind == .stale)
    }

    @Test("A stale response is the last resort after all retries", arguments: [true, false])
    func lastResort(isError: Bool) async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=5, stale-if-error=60"]
        let failure: StubTransport.Reply = isError ? .failure(.closed) : .reply(503, header: [.retryAfter: "0"])
        bench.respond(.reply(200, header: header, text: "body"), failure, failure, .reply(200, text: "new"))
        try await bench.send()
        bench.pass(10)
        let patient = bench.client { $0.retries = .exponential(limit: 2, initial: .zero) }
        #expect(try await patient.send(CacheBench.request()) == Data("new".utf8))
        let second = CacheBench(rules: isError ? Self.offline : HTTPCache.Rules())
        second.respond(.reply(200, header: header, text: "body"), failure)
        try await second.send()
        second.pass(10)
        let client = second.client { $0.retries = .exponential(limit: 2, initial: .zero) }
        let response = try await client.response(for: CacheBench.request())
        #expect(response.content == Data("body".utf8))
        #expect(response.head.cacheStatus?.kind == .stale)
        #expect(second.requests.count == 4)
    }

    @Test("A retry isn't answered by the stored response that it retries")
    func retried() async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(503, header: [.cacheControl: "max-age=60", .retryAfter: "0"], text: "busy"),
            .reply(200, text: "done")
        )
        let client = bench.client { $0.retries = .exponential(initial: .zero) }
        #expect(try await client.send(CacheBench.request()) == Data("done".utf8))
        #expect(bench.requests.count == 2)
    }

    @Test("RFC 5861 §3: a stale response is served at once and updated in the background")
    func whileRevalidate() async throws {
        let bench = CacheBench()
        let control: Header = [.cacheControl: "max-age=5, stale-while-revalidate=60", "ETag": "\"a\""]
        let (updated, update) = AsyncStream.makeStream(of: Void.self)
        bench.respond { _, number in
            if number == 2 { update.yield() }
            return .reply(200, header: control, text: "body \(number)")
        }
        try await bench.send()
        bench.pass(10)
        let client = bench.client()
        let stale = try await client.response(for: CacheBench.request())
        #expect(stale.content == Data("body 1".utf8))
        #expect(stale.head.cacheStatus == CacheStatus(.stale, age: 10, reason: "stale-while-revalidate=60"))
        for await _ in updated { break }
        #expect(bench.requests[1].header[.ifNoneMatch] == "\"a\"")
        // The update is stored soon after its exchange. Until then the stale response is served.
        while try await client.response(for: CacheBench.request()).content != Data("body 2".utf8) { await Task.yield() }
    }

    @Test(
        "RFC 5861 §3: stale-while-revalidate ends, and respects must-revalidate and the request",
        arguments: [
            ("max-age=5, stale-while-revalidate=4", [:]),
            ("max-age=5, stale-while-revalidate=60, must-revalidate", [:]),
            ("max-age=5, stale-while-revalidate=60", [.cacheControl: "max-age=60"]),
            ("max-age=5, stale-while-revalidate=60", [.cacheControl: "no-cache"]),
            ("max-age=5, stale-while-revalidate=x", [:]),
        ] as [(String, Header)]
    )
    func notWhileRevalidate(stored: String, request: Header) async throws {
        let second = try await CacheBench.second(
            after: [.cacheControl: stored, "ETag": "\"a\""],
            secondRequest: request
        )
        #expect(second == .validated)
    }

    @Test("Dropping the client cancels its background revalidation")
    func background() async throws {
        let bench = CacheBench()
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { request in
            guard request.header.contains(.ifNoneMatch) else {
                let control: Header = [.cacheControl: "max-age=5, stale-while-revalidate=60", "ETag": "\"a\""]
                return try .stub(200, header: control, for: request)
            }
            begin.yield()
            do {
                try await waitForCancellation()
            } catch {
                end.yield(true)
            }
            return try .stub(304, for: request)
        }
        var configuration = Client.Configuration()
        configuration.cache = bench.cache
        configuration.date = { CacheBench.start }
        var client: Client? = Client(transport: transport, configuration: configuration)
        _ = try await client?.send(CacheBench.request())
        client?.configuration.date = { CacheBench.start + 10 }
        _ = try await client?.send(CacheBench.request())
        for await _ in began { break }
        client = nil
        for await isCanceled in ended {
            #expect(isCanceled)
            break
        }
    }
}
