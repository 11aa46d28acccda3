import RequestsTestSupport
import Testing

@testable import RequestsCurl

extension ConnectionsTests {
    /// What libcurl and the server do: connections with streams, of which libcurl uses the first one that it may.
    private struct Oracle {
        /// The requests that may go on, and the ones that wait.
        var started: [Request] = []
        var sent: [Request] = []
        var waiting: [Request] = []
        var open: [(connection: Connections.Connection, tag: Int, requests: Int)] = []
    }

    @Test("In random sequences no request is lost, and no connection gets more than it takes", arguments: 0..<200)
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var fixture = try Fixture()
        var oracle = Oracle()
        let streams = Int.random(in: 1...130, using: &random)
        let limit: Int? = Bool.random(using: &random) ? .random(in: 20...60, using: &random) : nil
        if let limit { for time in [1, 2] { fixture.origin.rollover.note(limit, at: UInt64(time)) } }
        let (origin, connections) = (fixture.origin, fixture.connections)

        func start(_ request: Request, _ decision: Connections.Decision) {
            if decision == .wait { oracle.waiting.append(request) } else { oracle.started.append(request) }
        }
        func send(_ request: Request) {
            let tag = origin.tag
            let index = oracle.open.firstIndex { $0.tag == tag && $0.connection.users < streams }
            guard let index else {
                guard connections.connect(request, at: fixture.now) == .start else { return restart(request) }
                oracle.open.append((fixture.connect(request), tag, 1))
                return oracle.sent.append(request)
            }
            switch fixture.attempt(request, over: oracle.open[index].connection) {
            case .start:
                #expect(!oracle.open[index].connection.isUnusable && request.admission != nil)
                oracle.open[index].requests += 1
                oracle.sent.append(request)
            case .restart: restart(request)
            case .probe, .wait, .fail: Issue.record("not a decision about a first attempt")
            }
        }
        func restart(_ request: Request) {
            if request.takeRestart() == .overFreshConnection, request.admission?.isCurrent != false {
                oracle.open.append((fixture.connect(request), origin.tag, 1))
                return oracle.sent.append(request)
            }
            connections.end(request, isRefused: false, at: fixture.now)
            start(request, fixture.begin(request))
        }
        func check() {
            for request in fixture.takeReleased() where !request.isEnded {
                oracle.waiting.removeAll { $0 === request }
                oracle.started.append(request)
            }
            while let connection = connections.takeLeft() {
                #expect(connection.users == 0 && (connection.isUnusable || !connection.isCurrent))
                close(connection)
            }
            let current = (oracle.started + oracle.sent).filter { $0.admission?.isCurrent == true }
            #expect(origin.requests == current.count)
            #expect(current.count { $0.admission?.isProbe == true } == (origin.isProbing ? 1 : 0))
            #expect(origin.streams == origin.connections.reduce(0) { $0 + $1.streams })
            #expect(origin.connections.allSatisfy { connections.has($0) && !$0.isUnusable })
            #expect(oracle.open.allSatisfy { $0.requests <= limit ?? .max })
            // Waiting requests need an event to go on.
            let isPending = origin.isProbing || origin.isSettling || connections.nextSettling != nil
            #expect(oracle.waiting.isEmpty || isPending)
        }
        func close(_ connection: Connections.Connection) {
            oracle.open.removeAll { $0.connection === connection }
            connections.noteClosed(connection.socket, at: fixture.now)
        }
        func finish(_ index: Int, in requests: inout [Request]) { fixture.end(requests.remove(at: index)) }
        func step(_ kind: Int) {
            switch kind {
            case 0, 1:
                let request = Request(.get)
                start(request, fixture.begin(request))
            case 2, 3, 4:
                guard let index = oracle.started.indices.randomElement(using: &random) else { return }
                send(oracle.started.remove(at: index))
            case 5, 6:
                guard let index = oracle.sent.indices.randomElement(using: &random) else { return }
                connections.noteVersion(.http2, of: origin, at: fixture.now)
                finish(index, in: &oracle.sent)
            case 7:
                fixture.now += 100_000_000
                connections.settle(at: fixture.now)
            case 8 where Int.random(in: 0..<20, using: &random) == 0:
                guard let connection = oracle.open.randomElement(using: &random)?.connection else { return }
                connections.abandon(connection, at: fixture.now)
            case 9 where Int.random(in: 0..<20, using: &random) == 0:
                guard let connection = oracle.open.randomElement(using: &random)?.connection else { return }
                close(connection)
                let lost = oracle.sent.filter { $0.connection === connection }
                oracle.sent.removeAll { $0.connection === connection }
                for request in lost {
                    // libcurl sends some again by itself, and reports the failure of the others.
                    if Bool.random(using: &random), connections.connect(request, at: fixture.now) == .restart {
                        restart(request)
                        continue
                    }
                    connections.noteFailure(of: request, at: fixture.now)
                    fixture.end(request)
                }
            default:
                guard let request = oracle.waiting.randomElement(using: &random) else { return }
                oracle.waiting.removeAll { $0 === request }
                fixture.end(request)
            }
        }

        for _ in 0..<2000 {
            step(.random(in: 0...10, using: &random))
            check()
        }
        while !(oracle.started + oracle.sent + oracle.waiting).isEmpty {
            for kind in [2, 5, 7] { step(kind) }
            check()
        }
        #expect(origin.requests == 0)
    }
}
