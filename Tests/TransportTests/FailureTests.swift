import Foundation
import Requests
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A failed exchange has the same code over each transport")
struct FailureTests {
    private func code(
        of kind: TransportKind,
        _ request: some RequestConvertible,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) async throws -> TransportError.Code {
        var configuration = Client.Configuration()
        configure(&configuration)
        let client = Client(transport: try kind.makeTransport(), configuration: configuration)
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        let failure = try #require(error)
        let url = try request.prepared().url
        #expect(failure.message.contains(url.origin.description), "says what failed: \(failure)")
        #expect(!failure.message.contains("\n"))
        return failure.code
    }

    private func get(_ server: LoopbackServer) -> some RequestConvertible {
        AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/")
    }

    /// A server that reads a request and then plays some bytes.
    private func server(playing reply: String) throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(reply)
        }
    }

    @Test("a refused connection", arguments: TransportKind.allCases)
    func refused(kind: TransportKind) async throws {
        let server = try LoopbackServer { _ in }
        server.stop()
        #expect(try await code(of: kind, get(server)) == .cannotConnect)
    }

    @Test("a host without an address", arguments: TransportKind.allCases)
    func unknownHost(kind: TransportKind) async throws {
        let request = AnonymousRequestProvider("http://name.invalid").get(.data, from: "/")
        #expect(try await code(of: kind, request) == .nameNotResolved)
    }

    @Test("a server that never answers", arguments: TransportKind.allCases)
    func idle(kind: TransportKind) async throws {
        let server = try LoopbackServer { connection in while !(try connection.read().isEmpty) {} }
        #expect(try await code(of: kind, get(server)) { $0.timeouts.idle = .milliseconds(300) } == .timedOut(.idle))
    }

    @Test("a server that drips past the total limit", arguments: TransportKind.allCases)
    func total(kind: TransportKind) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for _ in 0..<200 {
                try connection.write("x")
                _ = try? connection.read(within: 0.05)
            }
        }
        #expect(try await code(of: kind, get(server)) { $0.timeouts.total = .milliseconds(400) } == .timedOut(.total))
    }

    @Test("a body shorter than its length", arguments: TransportKind.allCases)
    func truncated(kind: TransportKind) async throws {
        let server = try server(playing: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short")
        #expect(try await code(of: kind, get(server)) == .truncated)
    }

    @Test("a chunked body without its last chunk", arguments: TransportKind.allCases)
    func truncatedChunks(kind: TransportKind) async throws {
        let server = try server(playing: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        #expect(try await code(of: kind, get(server)) == .truncated)
    }

    @Test("a connection that closes without an answer", arguments: TransportKind.allCases)
    func closed(kind: TransportKind) async throws {
        let server = try server(playing: "")
        #expect(try await code(of: kind, get(server)) == .closed)
    }

    @Test("a reset in the middle of the body", arguments: TransportKind.allCases)
    func reset(kind: TransportKind) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short")
            _ = try? connection.read(within: 0.1)
            connection.reset()
        }
        #expect(try await code(of: kind, get(server)) == .truncated)
    }

    @Test("a body over the limit for collecting", arguments: TransportKind.allCases)
    func tooLarge(kind: TransportKind) async throws {
        let server = try LoopbackServer.http { _ in .init(200, body: Data(count: 2000)) }
        #expect(try await code(of: kind, get(server)) { $0.maximumBodyBytes = 1999 } == .tooLarge)
        let client = Client(transport: try kind.makeTransport())
        #expect(try await client.stream(get(server)).content.collect(upTo: 2000).count == 2000)
    }

    @Test(
        "an option that the transport cannot honour is refused before a byte is sent",
        arguments: TransportKind.allCases
    )
    func unsupported(kind: TransportKind) async throws {
        let server = try LoopbackServer { _ in }
        let request = AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/")
            .with(options: RequestOptions(cachePolicy: .returnCacheDataDontLoad))
        let client = Client(transport: try kind.makeTransport())
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("cachePolicy") == true)
        #expect(error?.requestMayHaveBeenProcessed == false)
        #expect(server.acceptedConnections == 0)
    }

    @Test("a request that is not one is refused before a byte is sent", arguments: TransportKind.allCases)
    func invalid(kind: TransportKind) async throws {
        let server = try LoopbackServer { _ in }
        let api = AnonymousRequestProvider(baseURL: server.baseURL)
        let client = Client(transport: try kind.makeTransport())
        let injection = api.get(.data, from: "/").adding(headerField: Field(name: "X-Probe", value: "a\r\nX-Evil: b"))
        let error = await #expect(throws: RequestError.self) { try await client.send(injection) }
        #expect(error?.culprit == "X-Probe")

        // Changed after it was built, so that only the transport is left to check it.
        var request = try api.get(.data, from: "/").prepared()
        request.header.add(Field(name: "X-Probe", value: "a\nX-Evil: b"))
        let transport = try kind.makeTransport()
        let late = await #expect(throws: RequestError.self) { try await transport.send(request) }
        #expect(late?.code == .invalidFieldValue)
        #expect(server.acceptedConnections == 0)
    }
}
