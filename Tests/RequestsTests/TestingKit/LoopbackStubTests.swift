import Foundation
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Stubs over a socket", .timeLimit(.minutes(5)))
struct LoopbackStubTests {
    private struct Broken: Error, CustomStringConvertible {
        let description = "the fixture is missing"
    }

    private func load(
        _ path: String,
        _ server: LoopbackServer,
        method: String = "GET",
        body: String? = nil
    ) async throws -> (status: Int?, body: String) {
        var request = URLRequest(url: server.baseURL.appending(path: path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
    }

    @Test("any client gets the replies of a stub's routes")
    func routes() async throws {
        let stub = StubTransport(routes: [
            .get("/users/{id}", .respond { .reply(200, header: ["X-A": "1"], text: "user \(try $0["id"])") }),
            .post("/users", .reply(201, text: "made")).matching(.json(["name": "Ada"])),
            .get("/export", .reply(200, chunks: ["a", "b", "c"].map { Data($0.utf8) })),
            .delete("/users/{id}", .reply(204)),
        ])
        let server = try LoopbackServer.http(stub)
        for _ in 0..<50 { #expect(try await load("users/7", server) == (200, "user 7")) }
        #expect(try await load("users", server, method: "POST", body: #"{"name": "Ada"}"#) == (201, "made"))
        #expect(try await load("export", server) == (200, "abc"))
        #expect(try await load("users/7", server, method: "DELETE") == (204, ""))
        try stub.verify()
        #expect(server.errors.isEmpty)
        #expect(stub.requests.first?.url.text == "\(server.baseURL.absoluteString)/users/7")
    }

    @Test("a request without a route gets the stub's message, which verify also reports")
    func unmatched() async throws {
        let stub = StubTransport(routes: [.get("/users", .reply(200)).expecting(calls: 0...)])
        let server = try LoopbackServer.http(stub)
        let (status, body) = try await load("user", server)
        #expect(status == 501)
        #expect(body.hasSuffix("the closest is GET /users, but segment 1 is “user”, not “users”"))
        #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
    }

    @Test("the error of a closure reaches the test and the client, and the connection stays open")
    func errors() async throws {
        let stub = StubTransport(routes: [.get("/broken", .respond { _ in throw Broken() }), .get("/fine")])
        for server in [
            try LoopbackServer.http(stub), try .http { if $0.path == "/fine" { .init(200) } else { throw Broken() } },
        ] {
            #expect(try await load("broken", server) == (500, "the fixture is missing"))
            #expect(try await load("fine", server).status == 200)
            #expect(server.errors.map { "\($0)" } == ["the fixture is missing"])
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test("a failure resets the connection")
    func failures() async throws {
        let stub = StubTransport(script: [
            .failure(.closed), .reply(200, chunks: [Data("a".utf8)], failure: .truncated),
        ])
        let server = try LoopbackServer.http(stub)
        await #expect(throws: URLError.self) { try await load("a", server, method: "POST", body: "x") }
        await #expect(throws: URLError.self) { try await load("a", server, method: "POST", body: "x") }
    }

    @Test("replies can be enqueued, and requests are taken in order")
    func queue() async throws {
        let stub = StubTransport(script: [.reply(503)])
        let server = try LoopbackServer.http(stub)
        stub.enqueue(.reply(200, text: "ok"))
        async let first = server.takeRequest()
        #expect(try await load("a", server).status == 503)
        #expect(try await load("b", server) == (200, "ok"))
        let taken = try await [first.path, server.takeRequest().path].sorted()
        #expect(taken == ["/a", "/b"])
        try stub.verify()
        let error = await #expect(throws: TransportError.self) { try await server.takeRequest(within: .zero) }
        #expect(error?.message == "no request arrived within 0.0 seconds")
    }

    @Test("a task that waits for a request can be canceled")
    func cancellation() async throws {
        let server = try LoopbackServer.http(StubTransport(script: []))
        let task = Task { try await server.takeRequest(within: .seconds(3600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a reply is framed once, and the response to HEAD has no length of an empty body")
    func framing() async throws {
        let chunks = [Data("abc".utf8), Data("def".utf8)]
        let stub = StubTransport(script: [
            .reply(200, header: ["Content-Length": "6"], chunks: chunks), .reply(200, text: "abc"),
        ])
        let server = try LoopbackServer.http(stub)
        #expect(try await load("a", server) == (200, "abcdef"))
        var request = URLRequest(url: server.baseURL)
        request.httpMethod = "HEAD"
        let (_, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") != "0")
    }

    @Test("a server that doesn't record says so when a request is taken")
    func notRecording() async throws {
        let servers = [try LoopbackServer.http { _ in .init(200) }, try LoopbackServer { _ in }]
        for server in servers {
            let error = await #expect(throws: TransportError.self) { try await server.takeRequest(within: .zero) }
            #expect(error?.message.contains("recording: true") == true)
        }
        let recording = try LoopbackServer.http(recording: true) { _ in .init(204) }
        _ = try await load("a", recording)
        #expect(try await recording.takeRequest().path == "/a")
    }

    @Test("a stub with a closure takes no other replies")
    func closure() async throws {
        let stub = StubTransport { try .stub(200, body: Data("closure".utf8), for: $0) }
        stub.enqueue(.reply(503))
        let server = try LoopbackServer.http(stub)
        for _ in 0..<2 { #expect(try await load("a", server) == (200, "closure")) }
    }
}
