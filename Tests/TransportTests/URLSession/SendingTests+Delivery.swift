#if FullFoundation
import Dispatch
import Foundation
import RequestsCurl
import RequestsTesting
import RequestsURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SendingTests {
    private static let chunks = ["a", "b", "c"]

    private func stub() -> StubTransport {
        StubTransport(script: [.reply(200, chunks: SendingTests.chunks.map { Data($0.utf8) })])
    }

    @Test("a delegate gets each chunk, a completion handler and data(for:) the whole body", arguments: [true, false])
    func delivery(withDelegate: Bool) async throws {
        let stub = StubTransport(
            script: Array(repeating: .reply(200, chunks: SendingTests.chunks.map { Data($0.utf8) }), count: 3)
        )
        let recorder = SessionRecorder()
        let session = URLSession.sending(
            over: Client(transport: stub),
            delegate: withDelegate ? recorder : nil,
            delegateQueue: withDelegate ? SendingTests.serialQueue() : nil
        )
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.data(from: SendingTests.url).0 == Data("abc".utf8))
        let data = await withCheckedContinuation { continuation in
            session.dataTask(with: SendingTests.url) { data, _, _ in continuation.resume(returning: data) }.resume()
        }
        #expect(data == Data("abc".utf8))
        guard withDelegate else { return }
        session.dataTask(with: SendingTests.url).resume()
        #expect(await recorder.recorded() == [.response(200), .data("a"), .data("b"), .data("c"), .end(nil)])
    }

    /// Keeps the order of a delegate's calls, which Foundation asks its users to do.
    private static func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    @Test(
        "a session that other code makes from such a session's configuration delivers each body once",
        arguments: [true, false]
    )
    func derived(hasQueue: Bool) async throws {
        let reply = StubTransport.Reply.reply(200, chunks: SendingTests.chunks.map { Data($0.utf8) })
        let original = URLSession.sending(over: Client(transport: StubTransport(script: [reply, reply, reply])))
        defer { original.finishTasksAndInvalidate() }
        let recorder = SessionRecorder()
        let session = URLSession(
            configuration: original.configuration,
            delegate: recorder,
            delegateQueue: hasQueue ? SendingTests.serialQueue() : nil
        )
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.data(from: SendingTests.url).0 == Data("abc".utf8))
        let data = await withCheckedContinuation { continuation in
            session.dataTask(with: SendingTests.url) { data, _, _ in continuation.resume(returning: data) }.resume()
        }
        #expect(data == Data("abc".utf8))
        session.dataTask(with: SendingTests.url).resume()
        let events = await recorder.recorded()
        #expect(events.first == .response(200) && events.last == .end(nil))
        let received = events.compactMap { if case .data(let text) = $0 { text } else { nil } }
        #expect(received.joined() == "abc")
    }

    @Test("a body above the client's limit fails a completion handler, and not a delegate")
    func limit() async throws {
        var configuration = Client.Configuration()
        configuration.options.maximumBodyBytes = 2
        let handled = URLSession.sending(over: Client(transport: stub(), configuration: configuration))
        defer { handled.finishTasksAndInvalidate() }
        let error = await #expect(throws: URLError.self) { try await handled.data(from: SendingTests.url) }
        #expect(error?.code == .dataLengthExceedsMaximum)
        let recorder = SessionRecorder()
        let delegated = URLSession.sending(
            over: Client(transport: stub(), configuration: configuration),
            delegate: recorder
        )
        defer { delegated.finishTasksAndInvalidate() }
        delegated.dataTask(with: SendingTests.url).resume()
        #expect(await recorder.recorded().last == .end(nil))
    }

    @Test("a delegate reads each event of a stream before the server sends the next one", arguments: [true, false])
    func events(overClient: Bool) async throws {
        let read = DispatchSemaphore(value: 0)
        let server = try LoopbackServer.http { _ in
            .streaming(200, header: [.contentType("text/event-stream")]) { body in
                for number in 1...5 {
                    try body.write(data: "\(number)")
                    read.wait()
                }
            }
        }
        defer { server.stop() }
        let recorder = SessionRecorder { _ in read.signal() }
        let session =
            overClient
            ? URLSession.sending(over: Client(transport: CurlTransport.shared), delegate: recorder)
            : URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: server.baseURL).resume()
        let events = (1...5).map { SessionRecorder.Event.data("data: \($0)\n\n") }
        #expect(await recorder.recorded() == [.response(200)] + events + [.end(nil)])
    }
}
#endif
