import Foundation
import RequestsTesting
import Synchronization
import Testing

@testable import mcp_client

@Suite("Sessions with a Model Context Protocol server", .timeLimit(.minutes(1)))
struct MCPSessionTests {
    @Test("The session's identifier and version are sent with every request after the first")
    func header() async throws {
        let server = try ToolServer { received in
            received.request.method == .delete ? .init(204) : try received.reply(["tools": []])
        }
        let session = try await server.session()
        #expect(try await session.call("tools/list") == ["tools": []])
        try await session.end()

        #expect(server.opening[0].header["Mcp-Session-Id"] == nil)
        let later = server.opening.dropFirst() + server.requests
        #expect(later.map { $0.header["Mcp-Session-Id"] } == ["s1", "s1", "s1"])
        #expect(later.map { $0.header["MCP-Protocol-Version"] } == Array(repeating: "2025-03-26", count: 3))
        #expect(later.map(\.method) == [.post, .post, .delete])
        #expect(later.allSatisfy { $0.path == "/mcp" })
        #expect(server.opening[0].header[.accept] == "application/json, text/event-stream")
    }

    @Test("A result in a stream of events ends the call, and other messages are delivered")
    func events() async throws {
        let server = try ToolServer { received in
            let result = try received.data("done")
            return .events { body in
                try body.write(data: progress)
                try body.write(data: #"{"jsonrpc":"2.0","id":"other","result":"wrong"}"#)
                try body.write(data: result)
            }
        }
        #expect(try await server.session().call("tools/call") == "done")
        #expect(server.messages.map(\.method) == ["notifications/progress", nil])
    }

    @Test("A stream that ends or breaks before its result continues after the last event", arguments: [false, true])
    func resumption(breaks: Bool) async throws {
        let result = Mutex("")
        let server = try ToolServer { received in
            guard received.request.method == .post else {
                let result = result.withLock { $0 }
                return .events { try $0.write(id: "e3", data: result) }
            }
            try result.withLock { $0 = try received.data("done") }
            return .events { body in
                try body.write(id: "e1", data: progress)
                try body.write(id: "e2", data: progress)
                if breaks { throw POSIXError(.ECONNRESET) }
            }
        }
        #expect(try await server.session().call("tools/call") == "done")
        #expect(server.messages.count == 2)
        #expect(server.requests.map(\.method) == [.post, .get])
        #expect(server.requests.last?.header["Last-Event-ID"] == "e2")
        #expect(server.requests.last?.header["Mcp-Session-Id"] == "s1")
    }

    @Test("A stream without identifiers that breaks is an error, and the call isn't repeated")
    func notResumable() async throws {
        let server = try ToolServer { _ in
            .events { body in
                try body.write(data: progress)
                throw POSIXError(.ECONNRESET)
            }
        }
        let session = try await server.session()
        let error = await #expect(throws: TransportError.self) { try await session.call("tools/call") }
        #expect(error?.code == .truncated)
        #expect(server.requests.count == 1)
    }

    @Test("A stream that ends without a result is an error that names the method")
    func noResult() async throws {
        let server = try ToolServer { _ in .events { try $0.write(data: progress) } }
        let session = try await server.session()
        await #expect(throws: MCPError.noResult(method: "tools/call")) { try await session.call("tools/call") }
    }

    @Test("A call whose stream brings no new events ends, and isn't repeated", arguments: [false, true])
    func noProgress(repeatsLast: Bool) async throws {
        let server = try ToolServer { received in
            guard received.request.method == .post else {
                return .events { if repeatsLast { try $0.write(id: "e1", data: progress) } }
            }
            return .events { try $0.write(id: "e1", data: progress) }
        }
        let session = try await server.session()
        await #expect(throws: MCPError.noResult(method: "tools/call")) { try await session.call("tools/call") }
        #expect(server.requests.map(\.method) == [.post, .get])
    }

    @Test("A failure of the server has its code and message")
    func failure() async throws {
        let server = try ToolServer { received in
            let id = try #require(received.message?.id)
            return .init(200, .json, #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32602,"message":"no such tool"}}"#)
        }
        let session = try await server.session()
        await #expect(throws: MCPError.failed(.init(code: -32602, message: "no such tool"))) {
            try await session.call("tools/call")
        }
    }

    @Test("A 404 means that the server has ended the session")
    func sessionEnded() async throws {
        let server = try ToolServer { _ in .init(404) }
        let session = try await server.session()
        await #expect(throws: MCPError.sessionEnded) { try await session.call("tools/list") }
        try await session.end()
    }

    @Test("The server's own stream continues after its last message if the connection breaks")
    func serverStream() async throws {
        let server = try ToolServer { received in
            switch received.request.header["Last-Event-ID"] {
            case nil:
                .events { body in
                    try body.write("retry: 100\n")
                    try body.write(id: "g1", data: progress)
                    throw POSIXError(.ECONNRESET)
                }
            case "g1": .events { try $0.write(id: "g2", data: #"{"jsonrpc":"2.0","id":7,"method":"ping"}"#) }
            default: .init(204)
            }
        }
        let session = try await server.session()
        var received: [Message] = []
        for try await message in session.messages() {
            received.append(message)
            if let id = message.id { try await session.send(Message(id: id, result: [:])) }
        }
        #expect(received.map(\.method) == ["notifications/progress", "ping"])
        let reply = try #require(server.requests.first { $0.method == .post })
        #expect(try JSONDecoder().decode(Message.self, from: reply.body) == Message(id: 7, result: [:]))
    }

    @Test("Canceling a call closes the connection, and the session goes on")
    func cancellation() async throws {
        let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try ToolServer { received in
            guard received.message?.method == "tools/call" else { return try received.reply("alive") }
            return .events { body in
                defer { continuation.yield() }
                // Ends when the client has closed the connection.
                while true { try body.write(data: progress) }
            }
        }
        let session = try await server.session()
        let call = Task { try await session.call("tools/call") }
        await server.waitForMessage()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        await closed.first { true }
        #expect(try await session.call("tools/list") == "alive")
    }
}
