import Requests
import RequestsClient
import Testing

@testable import RequestsCurl

@Suite("Attempts", .timeLimit(.minutes(1)))
struct AttemptsTests {
    /// Returns attempts of which one was sent, over a kept connection.
    private func sentOnce(isLogged: Bool = true) -> Attempts {
        var attempts = Attempts()
        attempts.isLogged = isLogged
        _ = attempts.verdict(isNew: false, isUsable: true, after: .init(), for: .post)
        return attempts
    }

    @Test(
        "The first attempt goes out over any usable connection",
        arguments: [
            (true, true, .send), (false, true, .send), (false, false, .connect), (true, false, .connect),
        ] as [(Bool, Bool, Attempts.Verdict)]
    )
    func first(isNew: Bool, isUsable: Bool, verdict: Attempts.Verdict) {
        var attempts = Attempts()
        let found = attempts.verdict(isNew: isNew, isUsable: isUsable, after: .init(), for: .post)
        let restarts = [attempts.takeRestart(), attempts.takeRestart()]
        #expect(found == verdict)
        #expect(attempts.count == (verdict == .send ? 1 : 0))
        #expect(restarts == [verdict == .send ? nil : .overFreshConnection, nil])
    }

    @Test("If no address accepted a connection in a limited time, the transfer is restarted once, without the limit")
    func patience() {
        var attempts = Attempts()
        attempts.noteNoConnection()
        #expect(attempts.takeRestart() == nil)
        attempts.noteSilent([[192, 0, 2, 1]])
        attempts.noteNoConnection()
        #expect(attempts.isPatient)
        #expect(attempts.takeRestart() == .patiently)
        attempts.noteNoConnection()
        #expect(attempts.takeRestart() == nil)
    }

    @Test("A proxy's challenge forgets the attempt that it answers, and not the one before", arguments: [1, 2])
    func challenge(count: Int) {
        var attempts = Attempts()
        for _ in 0..<count { _ = attempts.verdict(isNew: true, isUsable: true, after: .init(), for: .put) }
        attempts.noteChallenge()
        #expect(attempts.takeRestart() == .withCredentials)
        attempts.forgetLast()
        #expect(attempts.count == count - 1)
        #expect(attempts.answers == 1)
    }

    @Test("After two attempts, only a new connection is used")
    func third() {
        var attempts = sentOnce()
        let verdicts = [false, false, true].map { isNew in
            attempts.verdict(isNew: isNew, isUsable: true, after: .init(), for: .get)
        }
        #expect(verdicts == [.send, .connect, .send])
        #expect(attempts.count == 3)
    }

    @Test("A request goes out again if it is idempotent", arguments: [HTTPMethod.get, .put, .delete, .head, .options])
    func idempotent(method: HTTPMethod) {
        var attempts = sentOnce()
        attempts.noteOpenedStream()
        let verdict = attempts.verdict(isNew: true, isUsable: true, after: .init(), for: method)
        #expect(verdict == .send)
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
    func unprocessed(isLogged: Bool, hasStream: Bool, isRefused: Bool, isMultiplexed: Bool, isUnprocessed: Bool) {
        var attempts = sentOnce(isLogged: isLogged)
        if hasStream { attempts.noteOpenedStream() }
        if isRefused { attempts.noteRefusal() }
        let last = Attempts.Last(isMultiplexed: isMultiplexed)
        #expect(attempts.isUnprocessed(over: last) == isUnprocessed)
        let verdict = attempts.verdict(isNew: true, isUsable: true, after: last, for: .post)
        guard case .fail(_, let phase) = verdict else {
            #expect(verdict == .send && isUnprocessed)
            return
        }
        #expect(phase == .sending && !isUnprocessed)
    }

    @Test("What libcurl logs is about one attempt")
    func report() {
        var attempts = sentOnce()
        attempts.noteRefusal()
        let verdict = attempts.verdict(isNew: true, isUsable: true, after: .init(), for: .post)
        #expect(verdict == .send)
        #expect(!attempts.isUnprocessed(over: .init()))
    }

    @Test("The only request of a new connection goes out again once", arguments: [HTTPMethod.get, .post])
    func alone(method: HTTPMethod) {
        var attempts = sentOnce(isLogged: false)
        let alone = Attempts.Last(isOnOwnConnection: true)
        let verdicts = (0..<2).map { _ in attempts.verdict(isNew: true, isUsable: true, after: alone, for: method) }
        #expect(verdicts[0] == .send)
        guard case .fail(_, .connecting) = verdicts[1] else {
            Issue.record("\(verdicts[1])")
            return
        }
    }

    @Test("A request waits once for a connection that others open")
    func afterOthers() {
        var attempts = Attempts()
        let isFirstAllowed = attempts.mayConnectInsteadOfSharing()
        let restarts = [attempts.takeRestart(), attempts.takeRestart()]
        let isNextAllowed = attempts.mayConnectInsteadOfSharing()
        #expect(restarts == [.afterOthers, nil])
        #expect(!isFirstAllowed && isNextAllowed)
    }

    @Test(
        "After a failed connection that others have used, a request that may be repeated goes out again",
        arguments: [
            (.get, false, false, .overFreshConnection), (.put, false, true, .afterOthers), (.get, true, true, nil),
            (.post, false, false, nil), (.post, false, true, nil),
        ] as [(HTTPMethod, Bool, Bool, Attempts.Restart?)]
    )
    func failed(method: HTTPMethod, isOnOwnConnection: Bool, isShared: Bool, restart: Attempts.Restart?) {
        var attempts = Attempts()
        let last = Attempts.Last(isOnOwnConnection: isOnOwnConnection, isShared: isShared)
        var restarts: [Attempts.Restart?] = []
        for _ in 0..<4 {
            attempts.noteFailed(last, for: method)
            restarts.append(attempts.takeRestart())
            // The next connection fails before the request goes out, as a tunnel does.
            attempts.noteFailed(last, for: method)
            #expect(attempts.takeRestart() == nil)
            _ = attempts.verdict(isNew: true, isUsable: true, after: .init(), for: .get)
        }
        // Neither before the first attempt nor after the third one.
        #expect(restarts == [nil, restart, restart, nil])
    }
}
