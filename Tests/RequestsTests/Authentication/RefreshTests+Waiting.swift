import RequestsTesting
import Testing

/// Requests that wait for a token.
extension RefreshTests {
    @Test("If a refresh fails, every waiting request fails, and later ones fail until the pause is over")
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
            #expect(error?.message == "The token couldn't be refreshed. Sign in again, or try later. Reason: Refused")
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

    @Test("Setting a token resets a failed refresh")
    func setting() async throws {
        let tokens = store(AccessToken("old")) { _ in throw Refused() }
        let client = client(accepting: "new", tokens)
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        tokens.token = AccessToken("old")
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        #expect(refreshed.count == 2)
    }

    @Test("A token that is set during a refresh wins, and waiting requests continue with it")
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

    @Test("Removing the token during a refresh fails the waiting requests")
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
        #expect(error?.message == "The token was removed while it was refreshed. Sign in again.")
        #expect(tokens.token == nil)
    }

    @Test("Setting or removing the token ends the wait for a refresh that hangs", arguments: ["other", nil])
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

    @Test("A token that was set during a refresh can be refreshed without waiting for the earlier refresh")
    func refreshedForItself() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { old in
            if old?.value == "old" { for await _ in release.prefix(1) {} }
            return AccessToken("new-of-\(old?.value ?? "none")")
        }
        let client = client(accepting: "new-of-other", tokens)
        let first = Task { try await client.send(api.delete("/1")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = AccessToken("other")
        try await client.send(api.delete("/2"))
        releasing.finish()
        try await first.value
        #expect(refreshed.recorded == [AccessToken("old"), AccessToken("other")])
        #expect(tokens.token == AccessToken("new-of-other"))
    }

    @Test("Canceling a waiting request doesn't cancel the refresh or the other requests")
    func canceled() async throws {
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

    @Test("A request that was canceled before it waits throws at once")
    func canceledBefore() async throws {
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
