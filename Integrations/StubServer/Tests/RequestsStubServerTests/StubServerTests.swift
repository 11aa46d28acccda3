import Foundation
import RequestsCurl
import RequestsStubServer
import RequestsTesting
import Testing

@Suite("A stub over TLS and HTTP/2", .timeLimit(.minutes(5)))
struct StubServerTests {
    private func client(_ server: StubServer) throws -> Client {
        Client(transport: try CurlTransport(configuration: .trusting(server)))
    }

    @Test("responds over HTTP/2, or over HTTP/1.1", arguments: [(true, HTTPVersion.http2), (false, .http1_1)])
    func versions(http2: Bool, version: HTTPVersion) async throws {
        let stub = StubTransport(routes: [.post("/users", .reply(201, header: ["ETag": #""7""#], text: "Ada"))])
        try await StubServer.run(stub, http2: http2) { server in
            let request = BaseURL(server.baseURL).post(.text("hello"), to: "/users?q=a%2Fb").receiving(.text)
            let response = try await client(server).response(for: request)
            #expect(response.head.httpVersion == version)
            #expect(response.statusCode == 201)
            #expect(response.header[.eTag] == #""7""#)
            #expect(response.content == "Ada")
        }
        #expect(stub.requests.count == 1)
        #expect(stub.requests[0].url.target == "/users?q=a%2Fb")
        #expect(stub.requests[0].body.data == Data("hello".utf8))
        #expect(stub.requests[0].header[.contentLength] == nil)
    }

    @Test("isn't trusted without its authority")
    func untrusted() async throws {
        let stub = StubTransport(script: [.reply(200)])
        try await StubServer.run(stub) { server in
            let request = BaseURL(server.baseURL).get(.none, from: "/")
            let error = await #expect(throws: TransportError.self) {
                try await Client(transport: CurlTransport.shared).send(request)
            }
            #expect(error?.code == .tlsUntrusted)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test("sends each chunk as soon as it is there")
    func streams() async throws {
        let (chunks, writer) = AsyncStream.makeStream(of: Data.self)
        let stub = StubTransport { request in
            Response(
                head: try ResponseHead(statusCode: 200, url: request.url),
                content: ResponseBody(chunks)
            )
        }
        try await StubServer.run(stub) { server in
            let response = try await client(server).stream(BaseURL(server.baseURL).get(.none, from: "/"))
            let body = response.content.makeAsyncIterator()
            for text in ["a", "b"] {
                writer.yield(Data(text.utf8))
                #expect(try await body.next() == Data(text.utf8))
            }
            writer.finish()
            #expect(try await body.next() == nil)
        }
    }

    @Test("shares one connection among requests")
    func multiplexes() async throws {
        let stub = StubTransport(routes: [.get("/{n}", .reply(200))])
        try await StubServer.run(stub) { server in
            let transport = try CurlTransport(configuration: .trusting(server))
            let client = Client(transport: transport)
            try await client.send(BaseURL(server.baseURL).get(.none, from: "/first"))
            try await withThrowingTaskGroup { group in
                for number in 1...20 {
                    group.addTask { try await client.send(BaseURL(server.baseURL).get(.none, from: "/\(number)")) }
                }
                try await group.waitForAll()
            }
            #expect(await transport.statistics?.connections.count == 1)
        }
        #expect(stub.requests.count == 21)
    }

    @Test("names the routes if none matches")
    func unmatched() async throws {
        let stub = StubTransport(routes: [.get("/users", .reply(200))])
        try await StubServer.run(stub) { server in
            let response = try await client(server).stream(BaseURL(server.baseURL).get(.none, from: "/user"))
            #expect(response.statusCode == 501)
            let text = String(decoding: try await response.content.collect(upTo: 10_000), as: UTF8.self)
            #expect(text.contains("/users"))
        }
    }

    @Test("throws the error of a closure, and responds with 500")
    func closureThrows() async throws {
        struct Mistake: Error {}
        let stub = StubTransport(routes: [.get("/", .respond { _ in throw Mistake() })])
        await #expect(throws: Mistake.self) {
            try await StubServer.run(stub) { server in
                let response = try await client(server).stream(BaseURL(server.baseURL).get(.none, from: "/"))
                #expect(response.statusCode == 500)
            }
        }
    }

    @Test("ends the connection for a reply that is a failure", arguments: [true, false])
    func failure(http2: Bool) async throws {
        let stub = StubTransport(script: [.failure(.closed)])
        try await StubServer.run(stub, http2: http2) { server in
            let request = BaseURL(server.baseURL).get(.none, from: "/")
            await #expect(throws: TransportError.self) { try await client(server).send(request) }
        }
    }

    @Test("ends while a request waits for its response, and without any request", arguments: [true, false])
    func ends(http2: Bool) async throws {
        let stub = StubTransport(routes: [.get("/", .never)])
        try await StubServer.run(stub, http2: http2) { _ in }
        let call = try await StubServer.run(stub, http2: http2) { server in
            let client = try client(server)
            let call = Task { try await client.send(BaseURL(server.baseURL).get(.none, from: "/")) }
            try await stub.waitForRequests(1)
            return call
        }
        await #expect(throws: (any Error).self) { try await call.value }
    }

    @Test("sends no body to HEAD, and keeps the connection", arguments: [true, false])
    func head(http2: Bool) async throws {
        let stub = StubTransport(routes: [.head("/", .reply(200)), .get("/", .reply(200, text: "ok"))])
        try await StubServer.run(stub, http2: http2) { server in
            let transport = try CurlTransport(configuration: .trusting(server))
            let client = Client(transport: transport)
            for _ in 1...2 {
                #expect(try await client.response(for: BaseURL(server.baseURL).head("/")).statusCode == 200)
                #expect(try await client.send(BaseURL(server.baseURL).get(.text, from: "/")) == "ok")
            }
            #expect(await transport.statistics?.connections.count == 1)
        }
    }
}
