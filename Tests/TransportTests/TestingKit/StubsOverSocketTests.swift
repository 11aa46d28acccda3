import RequestsCurl
import RequestsTesting
import Testing

@Suite("Stubs over a socket, with libcurl", .timeLimit(.minutes(5)))
struct StubsOverSocketTests {
    @Test("A reply's trailers and informational responses are sent")
    func wholeMessage() async throws {
        let body = [Data("a".utf8)]
        let stub = StubTransport(routes: [
            .get("/a", .reply(200, chunks: body, trailers: ["X-Sum": "1"]).preceded(by: 103, header: ["X-B": "2"])),
            .get("/b", .reply(200, text: "a").preceded(by: 103, header: ["X-B": "2"])),
        ])
        let server = try LoopbackServer.http(stub)
        for (path, sum) in [("/a", "1"), ("/b", nil)] {
            let request = try BaseURL(server.baseURL).get(.none, from: Endpoint(path: path)).prepared()
            let early = Locked<[ResponseHead]>([])
            let context = SendContext { event in
                if case .informational(let head) = event { early.withLock { $0.append(head) } }
            }
            let response = try await CurlTransport.shared.send(request, context: context)
            #expect(try await response.content.collect(upTo: 10) == body[0])
            #expect(response.content.trailers?["X-Sum"] == sum)
            #expect(early.withLock { $0.map(\.statusCode) } == [103])
            #expect(early.withLock { $0.first?.header["X-B"] } == "2")
        }
        #expect(server.acceptedConnections == 1)
    }

    @Test("A fault within a body comes after the head and the bytes before it", arguments: [0, 3])
    func fault(bytes: Int) async throws {
        let reply = StubTransport.Reply.reply(200, text: "abcdef").after(bytes: bytes, .close)
        let server = try LoopbackServer.http(StubTransport(script: [reply]))
        let request = try BaseURL(server.baseURL).get(.none, from: "/").prepared()
        let response = try await CurlTransport.shared.send(request)
        #expect(response.statusCode == 200)
        let body = response.content.makeAsyncIterator()
        var received = Data()
        let error = await #expect(throws: TransportError.self) {
            while let chunk = try await body.next() { received += chunk }
        }
        #expect(error?.code == .truncated)
        #expect(received == Data("abcdef".utf8).prefix(bytes))
    }
}
