#if FullFoundation
import Foundation
import Requests
import RequestsClient
import RequestsConformance
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Errors of a client", .timeLimit(.minutes(5)))
struct ClientErrorPathTests {
    private struct Own: Error, Equatable {}

    private let api = BaseURL("https://api.example.com")
    private let client = Client(transport: StubTransport { try .stub(200, jsonText: "[]", for: $0) })

    @Test("The error of a body provider is rethrown")
    func bodyProvider() async {
        await #expect(throws: Own()) { try await client.send(api.post(BodyProvider { _ in throw Own() }, to: "/")) }
    }

    @Test("The error of an authentication provider is rethrown, synchronous or not")
    func authenticationProvider() async {
        let synchronous = AuthenticationProvider { (_: inout Header) in throw Own() }
        let asynchronous = AuthenticationProvider.asynchronous { _ in throw Own() }
        for provider in [synchronous, asynchronous] {
            await #expect(throws: Own()) { try await client.send(api.delete("/").authenticated(with: provider)) }
            await #expect(throws: Own()) { try await client.stream(api.delete("/").authenticated(with: provider)) }
        }
    }

    @Test("The error of a decoder is rethrown")
    func decoder() async {
        let head = ResponseDecoder<Int>.reading { _, _ in throw Own() }
        let foundation = ResponseDecoder<Int> { (_: HTTPURLResponse, _) in throw Own() }
        for decoder in [head, foundation] {
            await #expect(throws: Own()) { try await client.send(api.get(decoder, from: "/")) }
        }
    }

    @Test("The error of a transport is rethrown, before the head and in the middle of the body")
    func transport() async {
        let error = TransportError(code: .closed, message: "closed", phase: .sending)
        let refusing = Client(transport: StubTransport { _ in throw error })
        let breaking = Client(
            transport: StubTransport { request in
                let body = AsyncThrowingStream<Data, any Error> { continuation in
                    continuation.yield(Data("ab".utf8))
                    continuation.finish(throwing: error)
                }
                return Response(head: try ResponseHead(statusCode: 200, url: request.url), content: ResponseBody(body))
            }
        )
        for client in [refusing, breaking] {
            let thrown = await #expect(throws: TransportError.self) { try await client.send(api.get(.text, from: "/")) }
            #expect(thrown?.code == .closed)
            #expect(thrown?.phase == .sending)
        }
    }

    @Test("JSON that can't be decoded throws an error with the head and the bytes")
    func undecodable() async throws {
        let error = await #expect(throws: ResponseError.self) {
            try await client.send(api.get(json: Int.self, from: "/a"))
        }
        #expect(error?.code == .decoding)
        #expect(error?.head.url.path == "/a")
        #expect(error?.data == Data("[]".utf8))
    }

    @Test("Sending a body a second time that can be read only once throws")
    func secondSending() async throws {
        let reading = Client(
            transport: StubTransport { request in
                let reader = try request.body.makeReader()
                var received = Data()
                while let chunk = try await reader.next() { received += chunk }
                return try .stub(200, body: received, for: request)
            }
        )
        let request = api.post(BodyProvider { [body = RequestBody.oneShot(Data("hello".utf8))] _ in body }, to: "/")
            .receiving(.text)
        #expect(try await reading.send(request) == "hello")
        let error = await #expect(throws: RequestError.self) { try await reading.send(request) }
        #expect(error?.code == .bodyAlreadyRead)
    }

    @Test("A canceled task sends nothing and throws CancellationError")
    func canceledBefore() async {
        let sent = Recorder<Void>()
        let client = Client(
            transport: StubTransport { request in
                sent.record()
                return try .stub(200, for: request)
            }
        )
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await client.send(api.delete("/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sent.count == 0)
    }

    @Test("Canceling the task during the exchange throws CancellationError")
    func canceledWhileSending() async {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let client = Client(
            transport: StubTransport { _ in
                start.yield()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw CancellationError()
            }
        )
        let task = Task { try await client.send(api.delete("/")) }
        for await _ in started.prefix(1) {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "Canceling the task during the body throws CancellationError, frees the connection and decodes nothing"
    )
    func canceledWhileReading() async {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let cancellations = Recorder<Void>()
        let decoded = Recorder<Void>()
        let client = Client(
            transport: StubTransport { request in
                let body = AsyncStream<Data> { continuation in
                    continuation.yield(Data("a part".utf8))
                    start.yield()
                }
                let content = ResponseBody(body, onCancel: { cancellations.record() })
                return Response(head: try ResponseHead(statusCode: 200, url: request.url), content: content)
            }
        )
        let decoder = ResponseDecoder<Void>.reading { _, _ in decoded.record() }
        let task = Task { try await client.send(api.get(decoder, from: "/")) }
        for await _ in started.prefix(1) {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(cancellations.count == 1)
        #expect(decoded.count == 0)
    }
}
#endif
