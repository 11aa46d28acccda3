import Foundation
import Requests
import RequestsTesting
import Testing

/// Those that wait for a token, and what ends their waits.
extension RefreshTests {
    @Test("a failed refresh fails all who wait, once, and for a while all who come")
    func failure() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            throw Refused()
        }
        let client = client(accepting: "new", tokens)
        let tasks = (0..<100).map { _ in Task { try await client.send(api.delete("/")) } }
        while sent.count < 100 { await Task.yield() }
        releasing.finish()
        for task in tasks {
            let error = await #expect(throws: ClientError.self) { try await task.value }
            #expect(error?.code == .refreshFailed)
            #expect(error?.underlying is Refused)
            #expect(error?.message == "the token could not be renewed (Refused); sign in again, or try later")
        }
        #expect(refreshed.count == 1)

        clock.advance(by: .milliseconds(4999))
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        #expect(refreshed.count == 1)
        clock.advance(by: .milliseconds(1))
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        #expect(refreshed.count == 2)
        tokens.token = AccessToken("new")
        try await client.send(api.delete("/"))
        #expect(refreshed.count == 2)
    }

    @Test("a new token that is set ends what is known of a failure")
    func setting() async throws {
        let tokens = store(AccessToken("old")) { _ in throw Refused() }
        let client = client(accepting: "new", tokens)
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        tokens.token = AccessToken("old")
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        #expect(refreshed.count == 2)
    }

    @Test("that is set while another is refreshed stays, and those who wait go on with it")
    func setMeanwhile() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            return AccessToken("renewed")
        }
        let client = client(accepting: "other", tokens)
        let waiting = Task { try await client.send(api.delete("/")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = AccessToken("other")
        releasing.finish()
        try await waiting.value
        #expect(tokens.token == AccessToken("other"))
        #expect(credentials == ["Bearer old", "Bearer other"])
    }

    @Test("that is removed while it is refreshed stays removed, and those who wait fail")
    func removedMeanwhile() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            return AccessToken("renewed")
        }
        let client = client(accepting: "renewed", tokens)
        let waiting = Task { try await client.send(api.delete("/")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = nil
        releasing.finish()
        let error = await #expect(throws: ClientError.self) { try await waiting.value }
        #expect(error?.code == .refreshFailed)
        #expect(error?.message == "the token was removed while it was renewed; sign in again")
        #expect(tokens.token == nil)
    }

    @Test("that is set, or removed, ends the waits for a refresh that hangs", arguments: ["other", nil])
    func setWhileHanging(value: String?) async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            return AccessToken("renewed")
        }
        let client = client(accepting: "other", tokens)
        let waiting = Task { await client.result(of: api.delete("/")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = value.map { AccessToken($0) }
        switch await waiting.value {
        case .success: #expect(value != nil)
        case .failure(let error): #expect(value == nil && (error as? ClientError)?.code == .refreshFailed)
        }
        releasing.finish()
    }

    @Test("that was set meanwhile is refreshed for itself, without waiting for the other refresh")
    func refreshedForItself() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { old in
            if old?.value == "old" { for await _ in release.prefix(1) {} }
            return AccessToken("new of \(old?.value ?? "none")")
        }
        let client = client(accepting: "new of other", tokens)
        let first = Task { try await client.send(api.delete("/1")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = AccessToken("other")
        try await client.send(api.delete("/2"))
        releasing.finish()
        try await first.value
        #expect(refreshed.recorded == [AccessToken("old"), AccessToken("other")])
        #expect(tokens.token == AccessToken("new of other"))
    }

    @Test("one who stops waiting is cancelled at once; the others are not, and nor is the refresh")
    func cancelled() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            try Task.checkCancellation()
            return AccessToken("new")
        }
        let client = client(accepting: "new", tokens)
        let first = Task { try await client.send(api.delete("/1")) }
        while refreshed.count < 1 { await Task.yield() }
        let second = Task { try await client.send(api.delete("/2")) }
        while sent.count < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        releasing.finish()
        try await second.value
        #expect(refreshed.count == 1)
        #expect(tokens.token == AccessToken("new"))
    }

    @Test("one who was cancelled before waiting does not wait")
    func cancelledBefore() async throws {
        let tokens = store(nil)
        let client = client(accepting: "new", tokens)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await client.send(api.delete("/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(refreshed.count == 0)
    }
}
