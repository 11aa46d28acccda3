import RequestsClient
import Testing

@testable import RequestsCurl

/// Connections that end, fail or fall silent.
extension ConnectionsTests {
    @Test("A connection that failed or fell silent is left with its generation, and ends with its last request")
    func left() throws {
        var fixture = try Fixture()
        let connection = fixture.keptConnection()
        let (slow, silent) = (Request(.get), Request(.get))
        for request in [slow, silent] {
            _ = fixture.begin(request)
            _ = fixture.attempt(request, over: connection)
        }
        let tag = fixture.origin.tag
        fixture.end(silent)
        fixture.connections.abandon(connection, at: fixture.now)
        #expect(fixture.origin.tag != tag)
        #expect(fixture.begin() == .probe)
        #expect(fixture.attempt(Request(.get), over: connection) == .restart)
        #expect(fixture.connections.takeLeft() == nil)
        fixture.end(slow)
        #expect(fixture.connections.takeLeft() === connection)
        #expect(fixture.connections.takeLeft() == nil)
    }

    @Test(
        "If a connection ends that others use, they share one other, whatever libcurl reports first",
        arguments: [0, 1, 10, 19, 20],
        [false, true]
    )
    func endOfShared(resent: Int, hasVersion: Bool) throws {
        var fixture = try Fixture()
        let requests = (0..<20).map { _ in Request(.get) }
        for request in requests { _ = fixture.begin(request) }
        let lost = fixture.connect(requests[0])
        if hasVersion { fixture.connections.noteVersion(.http2, of: fixture.origin, at: fixture.now) }
        for request in requests.dropFirst() { #expect(fixture.attempt(request, over: lost) == .start) }
        _ = fixture.takeReleased()
        var open: [Connections.Connection] = []
        func restart(_ request: Request) {
            #expect(request.takeRestart() == .afterOthers)
            fixture.connections.end(request, isRefused: false, at: fixture.now)
            fixture.connections.leave(request, at: fixture.now)
            if fixture.begin(request) != .wait { send(request) }
            for request in fixture.takeReleased() { send(request) }
        }
        func send(_ request: Request) {
            guard let usable = open.first, fixture.attempt(request, over: usable) == .start else {
                return open.append(fixture.connect(request))
            }
        }
        // libcurl sends some requests again by itself, closes the connection, and reports that the others failed.
        for request in requests.prefix(resent) {
            #expect(fixture.connections.connect(request, at: fixture.now) == .restart)
            restart(request)
        }
        fixture.connections.noteClosed(lost.socket, at: fixture.now)
        for request in requests.dropFirst(resent) {
            fixture.connections.noteFailure(of: request, at: fixture.now)
            restart(request)
        }
        #expect(open.count == 1)
        #expect(open[0].users == 20)
    }

    @Test("A silent connection is kept if no other can be opened")
    func noRoom() throws {
        var configuration = Fixture.before819
        configuration.connections.maximumPerHost = 1
        var fixture = try Fixture("https://api.example", configuration)
        let connection = fixture.keptConnection()
        let slow = Request(.get)
        _ = fixture.begin(slow)
        _ = fixture.attempt(slow, over: connection)
        fixture.connections.abandon(connection, at: fixture.now)
        #expect(!connection.isUnusable)
    }

    @Test("There are eight tags for the generations of an origin's connections")
    func tags() throws {
        var fixture = try Fixture()
        var tags: Set<Int> = []
        for _ in 0..<16 {
            tags.insert(fixture.origin.tag)
            fixture.connections.abandon(fixture.keptConnection(), at: fixture.now)
        }
        #expect(tags.count == 8)
    }

    private static let hour: UInt64 = 3_600_000_000_000

    @Test(
        "Two ends after the same number of responses are a limit, for an hour",
        arguments: [
            ([(50, 0)], 0, nil), ([(50, 0), (50, 1)], 1, 50), ([(50, 0), (50, hour)], hour, nil),
            ([(50, 0), (70, 1)], 1, nil), ([(19, 0), (19, 1)], 1, nil), ([(50, 0), (50, 1), (70, 2)], 2, 70),
            ([(50, 0), (50, 1), (30, 2)], 2, 50), ([(50, 0), (50, 1), (30, 2), (30, 3)], 3, 30),
            ([(50, 0), (50, 1)], hour, 50), ([(50, 0), (50, 1)], hour + 1, nil),
            ([(50, 0), (50, 1), (70, hour + 1)], hour + 1, nil),
        ] as [([(Int, UInt64)], UInt64, Int?)]
    )
    private func rollover(ends: [(Int, UInt64)], now: UInt64, limit: Int?) {
        var rollover = Connections.Rollover()
        for (count, time) in ends { rollover.note(count, at: time + 1) }
        #expect(rollover.limit(at: now + 1) == limit)
    }

    @Test(
        "Only ends that lose requests teach a limit, over TLS and HTTP/2, from a libcurl that doesn't tell which ones",
        arguments: [
            ("https://api.example", true, false, 20), ("https://api.example", false, false, nil),
            ("http://api.example", true, false, nil), ("https://api.example", true, true, nil),
        ] as [(String, Bool, Bool, Int?)]
    )
    private func lesson(url: String, loses: Bool, logsRefusals: Bool, limit: Int?) throws {
        var configuration = CurlTransport.Configuration()
        configuration.quirks.logsRefusals = logsRefusals
        var fixture = try Fixture(url, configuration)
        for _ in 0..<2 {
            let connection = fixture.keptConnection()
            for _ in 1..<20 {
                let request = Request(.post)
                _ = fixture.begin(request)
                #expect(fixture.attempt(request, over: connection) == .start)
                fixture.end(request)
            }
            let lost = Request(.post)
            if loses {
                _ = fixture.begin(lost)
                _ = fixture.attempt(lost, over: connection)
            }
            fixture.connections.noteClosed(connection.socket, at: fixture.now)
            if loses {
                fixture.connections.noteFailure(of: lost, at: fixture.now)
                fixture.end(lost)
            }
        }
        #expect(fixture.origin.rollover.limit(at: fixture.now) == limit)
    }

    @Test("A connection takes no more requests than its server serves over one")
    func usedUp() throws {
        var fixture = try Fixture()
        for time in [1, 2] { fixture.origin.rollover.note(20, at: UInt64(time)) }
        let connection = fixture.keptConnection()
        let requests = (0..<25).map { _ in Request(.post) }
        let decisions = requests.map { fixture.begin($0) }
        #expect(decisions == Array(repeating: .start, count: 19) + [.probe] + Array(repeating: .wait, count: 5))
        for request in requests.prefix(19) { #expect(fixture.attempt(request, over: connection) == .start) }
        #expect(fixture.attempt(Request(.post), over: connection) == .restart)
        let next = fixture.connect(requests[19])
        #expect(next !== connection)
        #expect(fixture.takeReleased().count == 5)
        for request in requests.prefix(19) { fixture.end(request) }
        #expect(fixture.connections.takeLeft() === connection)
    }
}
