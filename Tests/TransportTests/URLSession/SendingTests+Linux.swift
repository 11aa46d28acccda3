#if FullFoundation && os(Linux)
import Dispatch
import Foundation
import FoundationNetworking
import RequestsTesting
import RequestsURLSession
import Testing

extension SendingTests {
    private func failure(of start: (URLSession) -> URLSessionTask) async -> [SessionRecorder.Event] {
        let recorder = SessionRecorder()
        let session = URLSession.sending(
            over: Client(transport: StubTransport(script: [.reply(200, text: "made")])),
            delegate: recorder
        )
        defer { session.finishTasksAndInvalidate() }
        start(session).resume()
        return await recorder.recorded()
    }

    @Test("tasks whose body or file Foundation keeps to itself fail instead of sending something else")
    func unsupportedTasks() async throws {
        #expect(await failure { $0.downloadTask(with: SendingTests.url) } == [.end(.unsupportedURL)])
        var request = URLRequest(url: SendingTests.url)
        request.httpMethod = "POST"
        #expect(await failure { $0.uploadTask(withStreamedRequest: request) } == [.end(.unsupportedURL)])
        let stub = StubTransport(script: [.reply(200)])
        let session = URLSession.sending(over: Client(transport: stub))
        defer { session.finishTasksAndInvalidate() }
        let error = await #expect(throws: URLError.self) { try await session.download(from: SendingTests.url) }
        #expect(error?.localizedDescription.hasSuffix("Use data(for:), or the client's download(_:to:).") == true)
        #expect(stub.requests.isEmpty)
    }

    @Test("the body of an upload task is sent again by a retry")
    func replayedUpload() async throws {
        let (status, bodies) = try await retriedUpload()
        #expect(status == 200)
        #expect(bodies == [.data(Data("Ada".utf8)), .data(Data("Ada".utf8))])
    }

    @Test("a task's own delegate isn't called")
    func taskDelegate() async throws {
        let stub = StubTransport(script: [.reply(200, text: "a")])
        let session = URLSession.sending(over: Client(transport: stub))
        defer { session.finishTasksAndInvalidate() }
        let isCalled = Locked(false)
        let delegate = SessionRecorder { _ in isCalled.withLock { $0 = true } }
        #expect(try await session.data(from: SendingTests.url, delegate: delegate).0 == Data("a".utf8))
        #expect(!isCalled.withLock { $0 })
    }

    @Test("Foundation shows no one the header and timeout of a derived configuration")
    func derivedSettings() async throws {
        let stub = StubTransport(script: [.reply(200)])
        let session = URLSession.sending(over: Client(transport: stub))
        defer { session.finishTasksAndInvalidate() }
        let configuration = session.configuration
        configuration.httpAdditionalHeaders = ["X-Tenant": "t"]
        configuration.timeoutIntervalForRequest = 5
        let derived = URLSession(configuration: configuration)
        defer { derived.finishTasksAndInvalidate() }
        _ = try await derived.data(from: SendingTests.url)
        #expect(stub.requests.map { $0.header["X-Tenant"] } == [nil])
        #expect(stub.requests.map(\.options.timeouts.idle) == [nil])
    }

    @Test("a challenge is a response, so that Foundation doesn't send the request itself")
    func challenge() async throws {
        let stub = StubTransport(script: [.reply(401, header: ["WWW-Authenticate": "Basic realm=\"a\""], text: "no")])
        let recorder = SessionRecorder()
        let session = URLSession.sending(over: Client(transport: stub), delegate: recorder)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: SendingTests.url)
        task.resume()
        #expect(await recorder.recorded() == [.response(401), .data("no"), .end(nil)])
        let response = try #require(task.response as? HTTPURLResponse)
        #expect(response.value(forHTTPHeaderField: "WWW-Authenticate") == "Basic realm=\"a\"")
        #expect(response.url == SendingTests.url)
    }

    @Test("a slow delegate pauses the body")
    func backPressure() async throws {
        let pulled = Locked(0)
        let chunks = AsyncStream<Data> {
            let index = pulled.withLock { index in
                index += 1
                return index
            }
            return index > 200 ? nil : Data("\(index)".utf8)
        }
        let stub = StubTransport { request in
            try Response(
                head: ResponseHead(statusCode: 200, header: .empty, url: request.url),
                content: ResponseBody(chunks)
            )
        }
        let ahead = Locked<[Int]>([])
        let recorder = SessionRecorder { data in
            let number = Int(String(decoding: data, as: UTF8.self)) ?? 0
            // Time for a load that doesn't wait.
            for _ in 0..<100 { sched_yield() }
            let read = pulled.withLock { $0 }
            ahead.withLock { $0.append(read - number) }
        }
        let session = URLSession.sending(over: Client(transport: stub), delegate: recorder)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: SendingTests.url).resume()
        #expect(await recorder.recorded().count == 202)
        #expect(ahead.withLock { $0 } == Array(repeating: 0, count: 200))
    }

    @Test("a task that is suspended and resumed continues where it was, and sends one request")
    func suspension() async throws {
        let gate = AsyncStream<Data>.makeStream()
        let stub = StubTransport { request in
            try Response(
                head: ResponseHead(statusCode: 200, header: .empty, url: request.url),
                content: ResponseBody(gate.stream)
            )
        }
        let recorder = SessionRecorder()
        let session = URLSession.sending(over: Client(transport: stub), delegate: recorder)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: SendingTests.url)
        task.resume()
        task.resume()
        var events = recorder.events.makeAsyncIterator()
        gate.continuation.yield(Data("a".utf8))
        #expect(await events.next() == .response(200))
        #expect(await events.next() == .data("a"))
        task.suspend()
        gate.continuation.yield(Data("b".utf8))
        gate.continuation.finish()
        // The load has time to wait for the end of the suspension, or it finds none.
        for _ in 0..<100 { await Task.yield() }
        task.resume()
        #expect(await events.next() == .data("b"))
        #expect(await events.next() == .end(nil))
        #expect(stub.requests.count == 1)
    }

    /// A body that never ends, and whether it was dropped.
    private func endless() -> (client: Client, chunks: AsyncStream<Data>.Continuation, drops: AsyncStream<Void>) {
        let (stream, chunks) = AsyncStream.makeStream(of: Data.self)
        let (drops, didDrop) = AsyncStream.makeStream(of: Void.self)
        let body = ResponseBody(stream, onCancel: { didDrop.finish() })
        let content = Locked<ResponseBody?>(body)
        let stub = StubTransport { request in
            let head = try ResponseHead(statusCode: 200, header: .empty, url: request.url)
            return Response(head: head, content: try #require(content.withLock { $0.take() }))
        }
        return (Client(transport: stub), chunks, drops)
    }

    @Test("a task that is canceled while it is suspended frees its connection")
    func canceledSuspension() async throws {
        let (client, chunks, drops) = endless()
        let recorder = SessionRecorder()
        let session = URLSession.sending(over: client, delegate: recorder)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: SendingTests.url)
        task.resume()
        var events = recorder.events.makeAsyncIterator()
        chunks.yield(Data("a".utf8))
        #expect(await events.next() == .response(200))
        #expect(await events.next() == .data("a"))
        task.suspend()
        chunks.yield(Data("b".utf8))
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        for await _ in drops {}
        // Foundation suspends in another thread, so the second chunk may have arrived.
        var last: SessionRecorder.Event?
        while let event = await events.next() { last = event }
        #expect(last == .end(.cancelled))
    }

    @Test("a task that is canceled while its delegate is busy frees its connection")
    func canceledDelegate() async throws {
        let (client, chunks, drops) = endless()
        let (began, didBegin) = AsyncStream.makeStream(of: Void.self)
        let busy = DispatchSemaphore(value: 0)
        let recorder = SessionRecorder { _ in
            didBegin.yield()
            busy.wait()
        }
        let session = URLSession.sending(over: client, delegate: recorder)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: SendingTests.url)
        task.resume()
        chunks.yield(Data("a".utf8))
        for await _ in began { break }
        task.cancel()
        for await _ in drops {}
        busy.signal()
        #expect(await recorder.recorded() == [.response(200), .data("a"), .end(.cancelled)])
    }

    @Test("a session has no cookies and no credentials of Foundation")
    func ownStores() {
        let session = URLSession.sending(over: Client(transport: StubTransport(script: [])))
        defer { session.finishTasksAndInvalidate() }
        #expect(session.configuration.httpCookieStorage == nil)
        #expect(session.configuration.urlCredentialStorage == nil)
    }
}
#endif
