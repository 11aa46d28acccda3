import RequestsTesting
import Testing

@testable import RequestsUploads

@Suite("Uploads in a call", .timeLimit(.minutes(5)))
struct UploadCallTests: UploadSuite {
    @Test("A server without support gets the request once, with the whole body")
    func unaware() async throws {
        let stub = StubTransport(script: [
            .reply(201, header: [Field(name: "Location", value: "/videos/1")], text: "done")
        ])
        let response = try await client(stub).upload(request, protocol: .draft(8))
        #expect(response.statusCode == 201)
        #expect(response.content == Data("done".utf8))
        #expect(requests(stub) == ["POST /videos ?1 100 bytes"])
        #expect(stub.requests[0].header["Upload-Length" as Field.Name] == "100")
        #expect(stub.requests[0].header["Upload-Draft-Interop-Version" as Field.Name] == "8")
        #expect(stub.requests[0].body.data == Self.body)
    }

    @Test("After a broken connection, the server gets the rest from its offset on")
    func resumed() async throws {
        let stub = StubTransport(script: [
            supported(.failure(.closed)), .reply(204, header: [Self.offset(60), Self.incomplete]),
            .failure(.closed), .failure(.timedOut(.idle)), .reply(204, header: [Self.offset(80), Self.incomplete]),
            .reply(201, header: [Self.complete], text: "done"),
        ])
        let response = try await client(stub).upload(request, protocol: .draft(8))
        #expect(response.content == Data("done".utf8))
        #expect(response.url.text == "https://a.example/videos")
        #expect(
            requests(stub) == [
                "POST /videos ?1 100 bytes", "HEAD /uploads/s3cret", "PATCH /uploads/s3cret ?1 60 40 bytes",
                "HEAD /uploads/s3cret", "HEAD /uploads/s3cret", "PATCH /uploads/s3cret ?1 80 20 bytes",
            ]
        )
        #expect(stub.requests[5].body.data == Self.body.suffix(20))
    }

    @Test("Without a retry policy, an upload continues, but its creation isn't repeated")
    func defaultPolicy() async throws {
        let stub = StubTransport(script: [
            supported(.failure(.closed)), .reply(204, header: [Self.offset(60), Self.incomplete]),
            .reply(200, header: [Self.complete]),
        ])
        var client = client(stub, retries: nil)
        client.configuration.clock = TestClock(isImmediate: true)
        _ = try await client.upload(request, protocol: .draft(8))
        #expect(stub.requests.count == 3)

        let other = StubTransport(script: [.failure(.cannotConnect)])
        let error = await self.client(other, retries: nil).uploadError(request)
        #expect((error as? TransportError)?.code == .cannotConnect)
        #expect(other.requests.count == 1)
    }

    @Test("The retry policy limits the attempts without progress")
    func limited() async throws {
        let stub = StubTransport(script: [
            supported(.failure(.closed)), .reply(204, header: [Self.offset(10), Self.incomplete]),
            .failure(.closed), .failure(.closed),
        ])
        let error = await client(stub, retries: .fixed(.zero, limit: 2)).uploadError(request)
        #expect((error as? TransportError)?.code == .closed)
        #expect((error as? TransportError)?.requestMayHaveBeenProcessed == true)
        #expect(stub.requests.count == 4)
        let never = StubTransport(script: [supported(.failure(.closed))])
        _ = await client(never, retries: .never).uploadError(request)
        #expect(never.requests.count == 1)
    }

    @Test("The retry budget limits all attempts")
    func budget() async throws {
        let stub = StubTransport(script: [supported(.failure(.closed)), .failure(.closed)])
        var client = client(stub, retries: .fixed(.zero, limit: 9))
        client.configuration.retryBudget = RetryBudget(share: 0, reserve: 1)
        let error = await client.uploadError(request)
        #expect((error as? TransportError)?.code == .closed)
        #expect(stub.requests.count == 2)
    }

    @Test("The wait before an attempt follows Retry-After")
    func retryAfter() async throws {
        let clock = TestClock(isImmediate: true)
        let stub = StubTransport(script: [
            supported(.reply(503, header: [Field(name: "Retry-After", value: "7")])),
            .reply(204, header: [Self.offset(100), Self.incomplete]), .reply(200, header: [Self.complete]),
        ])
        var client = client(stub)
        client.configuration.clock = clock
        _ = try await client.upload(request, protocol: .draft(8))
        #expect(clock.sleeps.contains(.seconds(7)))
        #expect(requests(stub).last == "PATCH /uploads/s3cret ?1 100 0 bytes")
    }

    @Test("A creation that wasn't processed is repeated like any other request")
    func unprocessed() async throws {
        let stub = StubTransport(script: [.failure(.cannotConnect), .reply(200)])
        _ = try await client(stub).upload(request, protocol: .draft(8))
        #expect(requests(stub) == ["POST /videos ?1 100 bytes", "POST /videos ?1 100 bytes"])
        // The server may have processed this one.
        let other = StubTransport(script: [.failure(.closed)])
        #expect(await client(other).uploadError(request) is TransportError)
        #expect(other.requests.count == 1)
    }

    @Test("A server of another version gets an ordinary request")
    func otherVersion() async throws {
        let refusal = StubTransport.Reply.reply(400, header: [Field(name: "Upload-Draft-Interop-Version", value: "7")])
        let stub = StubTransport(script: [refusal, .reply(201, text: "done")])
        let response = try await client(stub).upload(request, protocol: .draft(8))
        #expect(response.content == Data("done".utf8))
        #expect(requests(stub) == ["POST /videos ?1 100 bytes", "POST /videos 100 bytes"])
        #expect(stub.requests[1].header == (try request.prepared().header))
        // Any other refusal is the response.
        let unaware = StubTransport(script: [.reply(400)])
        #expect((await client(unaware).uploadError(request) as? ResponseError)?.statusCode == 400)
    }

    @Test("A response of the target is validated and decoded as for any request")
    func validated() async throws {
        let stub = StubTransport(script: [
            supported(.failure(.closed)), .reply(204, header: [Self.offset(60), Self.incomplete]),
            .reply(422, header: [Self.complete], text: "no video"),
        ])
        let error = await client(stub).uploadError(request) as? ResponseError
        #expect(error?.statusCode == 422)
        #expect(error?.data == Data("no video".utf8))
        #expect("\(try #require(error))".contains("https://a.example/videos"))
        let other = StubTransport(script: [.reply(403)])
        #expect((await client(other).uploadError(request) as? ResponseError)?.statusCode == 403)
    }

    @Test("A refusal by the upload resource isn't taken for the response")
    func refused() async throws {
        let stub = StubTransport(script: [supported(.failure(.closed)), .reply(403, text: "secret text")])
        var client = client(stub)
        client.configuration.validation = .none
        let error = try #require(await client.uploadError(request) as? ClientError)
        #expect(error.code == .uploadFailed)
        #expect((error.underlying as? ResponseError)?.statusCode == 403)
        #expect(error.history.map(\.statusCode) == [403])
        #expect(
            error.message == "The upload to https://a.example/videos can't be continued, because the server responded "
                + "with status 403."
        )
    }

    @Test("Parts follow the limits of a 104, which ends the request that exceeds them")
    func parts() async throws {
        let stub = StubTransport(script: [
            supported(.never, Self.limit("max-append-size=40")),
            .reply(204, header: [Self.offset(10), Self.incomplete]), .reply(204, header: [Self.incomplete]),
            .reply(204, header: [Self.incomplete]), .reply(200, header: [Self.complete]),
        ])
        _ = try await client(stub).upload(request, protocol: .draft(8))
        #expect(
            requests(stub) == [
                "POST /videos ?1 100 bytes", "HEAD /uploads/s3cret", "PATCH /uploads/s3cret ?0 10 40 bytes",
                "PATCH /uploads/s3cret ?0 50 40 bytes", "PATCH /uploads/s3cret ?1 90 10 bytes",
            ]
        )
        #expect(received(stub).suffix(90) == Self.body.suffix(90))
    }

    @Test("A body that is too large ends with its limit, and the upload is deleted")
    func tooLarge() async throws {
        let stub = StubTransport(script: [supported(.never, Self.limit("max-size=99")), .reply(204)])
        let error = try #require(await client(stub).uploadError(request) as? ClientError)
        #expect(error.code == .uploadFailed)
        #expect(error.message.contains("has 100 bytes, but the server accepts at most 99"))
        #expect(requests(stub) == ["POST /videos ?1 100 bytes", "DELETE /uploads/s3cret"])
    }

    @Test("An upload that is gone starts again, if it can't have been processed")
    func gone() async throws {
        let stub = StubTransport(script: [
            supported(.failure(.closed)), .reply(204, header: [Self.offset(60), Self.incomplete]), .reply(404),
            .reply(200),
        ])
        _ = try await client(stub).upload(request, protocol: .draft(8))
        #expect(requests(stub).last == "POST /videos ?1 100 bytes")
        let other = StubTransport(script: [supported(.failure(.closed)), .reply(404)])
        let error = try #require(await client(other).uploadError(request) as? ClientError)
        #expect(error.message.contains("an Idempotency-Key makes it safe"))
        #expect(other.requests.count == 2)
    }

    @Test("A lost response is asked for again")
    func replayed() async throws {
        let stub = StubTransport(script: [
            supported(.reply(200, header: [Self.complete], chunks: [Data("do".utf8)], failure: .truncated)),
            .reply(204, header: [Self.offset(100), Self.complete]), .reply(200, header: [Self.complete], text: "done"),
        ])
        #expect(try await client(stub).upload(request, protocol: .draft(8)).content == Data("done".utf8))
        #expect(requests(stub).last == "PATCH /uploads/s3cret ?1 100 0 bytes")
    }

    @Test("Redirects of the upload resource are followed, and one after the upload leads to the response")
    func redirected() async throws {
        let moved = Field(name: "Location", value: "/uploads/2")
        let seeOther = Field(name: "Location", value: "/videos/1")
        let stub = StubTransport(script: [
            supported(.failure(.closed)), .reply(307, header: [moved]),
            .reply(204, header: [Self.offset(60), Self.incomplete]), .reply(308, header: [moved]),
            .reply(303, header: [seeOther, Self.complete]), .reply(200, text: "done"),
        ])
        #expect(try await client(stub).upload(request, protocol: .draft(8)).content == Data("done".utf8))
        #expect(
            requests(stub).suffix(5) == [
                "HEAD /uploads/s3cret", "HEAD /uploads/2", "PATCH /uploads/s3cret ?1 60 40 bytes",
                "PATCH /uploads/2 ?1 60 40 bytes", "GET /videos/1 ?1 60",
            ]
        )
    }

    @Test("An upload doesn't wait beyond its total timeout")
    func totalTimeout() async throws {
        let stub = StubTransport(script: [supported(.failure(.closed)), .reply(404)])
        var client = client(stub, retries: .fixed(.seconds(7200)))
        client.configuration.timeouts.total = .seconds(3600)
        #expect((await client.uploadError(request) as? TransportError)?.code == .closed)
        #expect(stub.requests.count == 1)
    }

    @Test("The caller's cancellation ends the upload")
    func canceled() async throws {
        let stub = StubTransport(script: [supported(.never)])
        let client = client(stub)
        let (started, feed) = AsyncStream.makeStream(of: Void.self)
        let observed = request.observing { _ in feed.yield() }
        let task = Task { await client.uploadError(observed) }
        for await _ in started { break }
        task.cancel()
        #expect(await task.value is CancellationError)
        #expect(stub.requests.count == 1)
    }

    @Test("Progress only grows, and the request's observer sees every event")
    func progress() async throws {
        let stub = StubTransport(script: [
            supported(.failure(.closed)), .reply(204, header: [Self.offset(20), Self.incomplete]),
            .reply(200, header: [Self.complete]),
        ])
        let reports = Locked<[Int64]>([])
        let informational = Locked(0)
        var client = client(stub)
        client.configuration.progressInterval = .zero
        let observed = request.observing { event in
            if case .informational = event { informational.withLock { $0 += 1 } }
        }
        _ = try await client.upload(observed, protocol: .draft(8)) { sent, total in
            #expect(total == 100)
            reports.withLock { $0.append(sent) }
        }
        let sent = reports.withLock { $0 }
        #expect(sent == sent.sorted())
        #expect(sent.last == 100)
        #expect(Set(sent).count == sent.count)
        #expect(informational.withLock { $0 } == 1)
    }

    @Test("A call that isn't intercepted continues its upload without the client's middleware")
    func notIntercepted() async throws {
        let stub = StubTransport(script: [
            supported(.failure(.closed)), .reply(204, header: [Self.offset(60), Self.incomplete]),
            .reply(200, header: [Self.complete]),
        ])
        var client = client(stub)
        client.configuration.middleware = [Interception { _, _, _ in throw CancellationError() }]
        client.configuration.isIntercepted = false
        _ = try await client.upload(request, protocol: .draft(8))
        #expect(stub.requests.count == 3)
    }
}
