import Testing

@testable import RequestsCurl

@Suite("Decisions about connections", .timeLimit(.minutes(5)))
struct ConnectionsTests {
    typealias Request = Connections.Request

    /// An origin with the connections to it. Its methods report what libcurl would.
    struct Fixture {
        let connections: Connections
        let origin: Connections.Origin
        let url: RequestURL
        var now: UInt64 = 1
        private var sockets: Int32 = 0

        init(_ url: String = "https://api.example", _ configuration: CurlTransport.Configuration = before819) throws {
            self.url = try RequestURL(url)
            connections = Connections(configuration)
            origin = try connections.origin(of: self.url)
        }

        static var before819: CurlTransport.Configuration {
            var configuration = CurlTransport.Configuration()
            configuration.quirks.logsRefusals = false
            return configuration
        }

        func begin(_ request: Request = Request(.get)) -> Connections.Decision {
            connections.begin(request, to: origin, at: now)
        }

        /// Opens a connection for a request, and sends it.
        mutating func connect(_ request: Request) -> Connections.Connection {
            sockets += 1
            let endpoints = Connections.Endpoints(
                number: Int64(sockets),
                localPort: sockets,
                remotePort: 443,
                localAddress: "",
                remoteAddress: ""
            )
            let connection = connections.open(sockets, endpoints, for: request, to: url)
            #expect(attempt(request, over: connection, isNew: true) == .start)
            connection.version = .http2
            return connection
        }

        func attempt(
            _ request: Request,
            over connection: Connections.Connection?,
            isNew: Bool = false,
            isStale: Bool = false
        ) -> Connections.Decision {
            connections.attempt(request, over: connection, isNew: isNew, isStale: isStale, at: now)
        }

        func end(_ request: Request, isRefused: Bool = false) {
            request.isEnded = true
            connections.end(request, isRefused: isRefused, at: now)
            connections.leave(request, at: now)
        }

        /// The numbers of the released requests, which are removed.
        func takeReleased() -> [Request] {
            defer { connections.released = [] }
            return connections.released
        }

        /// The connection of a request that was sent and has ended.
        mutating func keptConnection() -> Connections.Connection {
            let request = Request(.get)
            _ = begin(request)
            let connection = connect(request)
            connections.noteVersion(.http2, of: origin, at: now)
            end(request)
            return connection
        }
    }

    // MARK: Waiting, starting and probing

    @Test("The first request opens a connection, and the others wait for it")
    func first() throws {
        var fixture = try Fixture()
        let requests = (0..<150).map { _ in Request(.get) }
        let decisions = requests.map { fixture.begin($0) }
        #expect(decisions == [.probe] + Array(repeating: .wait, count: 149))
        _ = fixture.connect(requests[0])
        #expect(fixture.takeReleased().count == Connections.usualStreams - 1)
        // The server's settings haven't arrived.
        #expect(fixture.connections.nextSettling == 200_000_001)
        fixture.now = 200_000_001
        fixture.connections.settle(at: fixture.now)
        let probes = fixture.takeReleased()
        #expect(probes.count == 1 && probes[0].admission?.isProbe == true)
    }

    @Test("Requests find out one by one how many streams a server allows")
    func limit() throws {
        var fixture = try Fixture()
        var open: [Connections.Connection] = []
        // A server that allows 128 streams.
        for _ in 1...1000 {
            let request = Request(.get)
            let decision = fixture.begin(request)
            #expect(decision != .wait)
            if let free = open.first(where: { $0.users < 128 }) {
                #expect(fixture.attempt(request, over: free) == .start)
            } else {
                open.append(fixture.connect(request))
                fixture.connections.noteVersion(.http2, of: fixture.origin, at: fixture.now)
            }
        }
        #expect(open.count == 8)
    }

    @Test(
        "The end of a probe lets another request probe, and a refused connection lets all of them",
        arguments: [0, 1]
    )
    func failedProbe(refused: Int) throws {
        let fixture = try Fixture()
        let requests = [Request(.get), Request(.get), Request(.get)]
        #expect(requests.map { fixture.begin($0) } == [.probe, .wait, .wait])
        fixture.end(requests[0], isRefused: refused == 1)
        #expect(fixture.takeReleased().map { $0.admission?.isProbe } == (refused == 1 ? [nil, nil] : [true]))
    }

    @Test("A request after the last connection was closed opens a new one")
    func closed() throws {
        var fixture = try Fixture()
        let connection = fixture.keptConnection()
        #expect(fixture.begin() == .start)
        fixture.connections.noteClosed(connection.socket, at: fixture.now)
        #expect(fixture.begin() == .probe)
    }

    @Test("Requests to a server of HTTP/1.1 don't wait")
    func http1() throws {
        var fixture = try Fixture()
        let requests = [Request(.get), Request(.get)]
        for request in requests { _ = fixture.begin(request) }
        _ = fixture.connect(requests[0])
        _ = fixture.takeReleased()
        #expect(fixture.begin() == .start)
        fixture.connections.noteVersion(.http1_1, of: fixture.origin, at: fixture.now)
        #expect(fixture.origin.isOfHTTP1)
        #expect(fixture.takeReleased().isEmpty)
    }

    @Test("A request that finds no stream waits once for a connection that others open")
    func afterOthers() throws {
        var fixture = try Fixture()
        _ = fixture.keptConnection()
        let request = Request(.get)
        #expect(fixture.begin(request) == .start)
        #expect(fixture.connections.connect(request, at: fixture.now) == .restart)
        #expect([request.takeRestart(), request.takeRestart()] == [.afterOthers, nil])
        #expect(fixture.connections.connect(request, at: fixture.now) == .start)
        #expect(fixture.begin() == .probe)
    }

    // MARK: Attempts

    @Test(
        "The first attempt goes out over any usable connection",
        arguments: [(true, true), (false, true), (false, false)]
    )
    func attempt(isNew: Bool, isUsable: Bool) throws {
        var fixture = try Fixture()
        let kept = fixture.keptConnection()
        let request = Request(.post)
        if isNew { _ = fixture.connect(request) }
        let decision = isNew ? .start : fixture.attempt(request, over: kept, isStale: !isUsable)
        #expect(decision == (isUsable ? .start : .restart))
        #expect(request.attempts == (isUsable ? 1 : 0))
        #expect([request.takeRestart(), request.takeRestart()] == [isUsable ? nil : .overFreshConnection, nil])
    }

    @Test("A connection that isn't known, has failed or ends within a second gets no request", arguments: 0..<4)
    func unusable(kind: Int) throws {
        var fixture = try Fixture()
        let kept = fixture.keptConnection()
        if kind == 1 { kept.isUnusable = true }
        kept.keepAlive = 5_000_000_000
        fixture.now = kind == 2 ? 4_000_000_002 : 3_999_999_999
        let decision = fixture.attempt(Request(.get), over: kind == 0 ? nil : kept)
        #expect(decision == (kind == 3 ? .start : .restart))
    }

    @Test("After two attempts, only a new connection is used")
    func third() throws {
        var fixture = try Fixture()
        let kept = fixture.keptConnection()
        let request = Request(.get)
        let decisions = (0..<3).map { _ in fixture.attempt(request, over: kept) }
        #expect(decisions == [.start, .start, .restart])
        #expect(request.takeRestart() == .overFreshConnection)
        _ = fixture.connect(request)
        #expect(request.attempts == 3)
    }

    @Test("A request goes out again if it is idempotent", arguments: [HTTPMethod.get, .put, .delete, .head, .options])
    func idempotent(method: HTTPMethod) throws {
        var fixture = try Fixture()
        let kept = fixture.keptConnection()
        let request = Request(method)
        request.isLogged = true
        _ = fixture.attempt(request, over: kept)
        request.noteOpenedStream()
        #expect(fixture.attempt(request, over: kept) == .start)
    }

    @Test(
        "Another one only goes out again if libcurl knows that the server didn't process it",
        arguments: [
            // What libcurl logs: whether it logs anything, the stream, and the refusal.
            (false, false, false, true, false), (false, false, true, true, false), (true, false, false, true, true),
            (true, false, false, false, false), (true, true, false, true, false), (true, true, true, true, true),
            (true, false, true, false, true),
        ]
    )
    func unprocessed(
        isLogged: Bool,
        hasStream: Bool,
        isRefused: Bool,
        isMultiplexed: Bool,
        isUnprocessed: Bool
    ) throws {
        var fixture = try Fixture()
        let kept = fixture.keptConnection()
        kept.version = isMultiplexed ? .http2 : .http1_1
        let request = Request(.post)
        request.isLogged = isLogged
        _ = fixture.attempt(request, over: kept)
        if hasStream { request.noteOpenedStream() }
        if isRefused { request.noteRefusal() }
        #expect(request.isUnprocessed == isUnprocessed)
        let decision = fixture.attempt(request, over: kept)
        if case .fail(_, let phase) = decision { #expect(phase == .sending) }
        #expect((decision == .start) == isUnprocessed)
        // What libcurl logs is about one attempt.
        if isRefused, !isMultiplexed { #expect(!request.isUnprocessed) }
    }

    @Test("The only request of a new connection goes out again once", arguments: [HTTPMethod.get, .post])
    func alone(method: HTTPMethod) throws {
        var fixture = try Fixture()
        let request = Request(method)
        _ = fixture.connect(request)
        let second = fixture.connect(request)
        guard case .fail(_, .connecting) = fixture.attempt(request, over: second, isNew: true) else {
            Issue.record("The third attempt went out")
            return
        }
    }

    @Test(
        "After a failed connection that others have used, a request that may be repeated goes out again",
        arguments: [
            (.get, false, false, .overFreshConnection), (.put, false, true, .afterOthers), (.get, true, true, nil),
            (.post, false, false, nil), (.post, false, true, nil),
        ] as [(HTTPMethod, Bool, Bool, Request.Restart?)]
    )
    private func failed(method: HTTPMethod, isOnOwn: Bool, isShared: Bool, restart: Request.Restart?) throws {
        var fixture = try Fixture()
        let request = Request(method)
        for expected in [nil, restart, restart, nil] {
            fixture.connections.noteFailure(of: request, at: fixture.now)
            #expect(request.takeRestart() == expected)
            // The next connection fails before the request goes out, as a tunnel does.
            fixture.connections.noteFailure(of: request, at: fixture.now)
            #expect(request.takeRestart() == nil)
            if isShared {
                fixture.connections.end(request, isRefused: false, at: fixture.now)
                _ = fixture.begin(request)
            }
            let next = fixture.keptConnection()
            request.connection = nil
            _ = request.countAttempt()
            request.join(next, isNew: isOnOwn, at: fixture.now)
        }
    }

    @Test("If no address accepted a connection in a limited time, the request is restarted once, without the limit")
    func patience() {
        let request = Request(.get)
        request.noteNoConnection()
        #expect(request.takeRestart() == nil)
        request.noteSilent([[192, 0, 2, 1]])
        request.noteNoConnection()
        #expect(request.isPatient)
        #expect(request.takeRestart() == .patiently)
        request.noteNoConnection()
        #expect(request.takeRestart() == nil)
    }

    @Test("A proxy's challenge forgets the attempt that it answers, and not the one before", arguments: [1, 2])
    func challenge(count: Int) {
        let request = Request(.put)
        for _ in 0..<count { _ = request.countAttempt() }
        request.noteChallenge()
        #expect(request.takeRestart() == .withCredentials)
        request.forgetLast()
        #expect(request.attempts == count - 1)
        #expect(request.answers == 1)
    }
}
