import Foundation
import RequestsCurl
import RequestsTesting
import Synchronization

@testable import mcp_client

/// A scripted Model Context Protocol server, and sessions with it over libcurl.
final class ToolServer: Sendable {
    /// A received message. A request without a body has none.
    struct Received: Sendable {
        let request: LoopbackServer.Request
        let message: Message?

        /// A response with a result.
        func reply(_ result: JSONValue, id: String = "s1") throws -> LoopbackServer.Answer {
            .init(
                200,
                header: [.contentType(.json), Field(name: "Mcp-Session-Id", value: id)],
                body: Data(try data(result).utf8)
            )
        }

        /// The text of a message with a result.
        func data(_ result: JSONValue) throws -> String {
            let reply = Message(id: message?.id, result: result)
            return String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
        }
    }

    private let server: LoopbackServer
    private let delivered = Mutex<[Message]>([])
    private let delivery = AsyncStream.makeStream(of: Void.self)

    /// The messages that sessions delivered, oldest first.
    var messages: [Message] { delivered.withLock { $0 } }
    /// The requests after the session has started, oldest first.
    var requests: [LoopbackServer.Request] { Array(server.requests.dropFirst(2)) }
    /// The two requests that start a session.
    var opening: [LoopbackServer.Request] { Array(server.requests.prefix(2)) }

    /// Starts a server that answers `initialize` itself, and notifications and responses with 202.
    init(_ answer: @escaping @Sendable (Received) throws -> LoopbackServer.Answer) throws {
        server = try .http(recording: true) { request in
            let received = Received(
                request: request,
                message: try? JSONDecoder().decode(Message.self, from: request.body)
            )
            switch received.message {
            case let message? where message.method == "initialize":
                return try received.reply(["protocolVersion": "2025-03-26"])
            case let message? where message.id == nil || message.method == nil: return .init(202)
            default: return try answer(received)
            }
        }
    }

    func session() async throws -> MCPSession {
        let url = server.baseURL.appending(path: "mcp")
        return try await .start(at: url, client: Client(transport: CurlTransport.shared)) { [weak self] message in
            self?.delivered.withLock { $0.append(message) }
            self?.delivery.continuation.yield()
        }
    }

    /// Waits until a session has delivered a message.
    func waitForMessage() async {
        await delivery.stream.first { true }
    }
}

extension LoopbackServer.Answer {
    static func events(_ write: @escaping @Sendable (LoopbackServer.BodyWriter) throws -> Void) -> Self {
        .streaming(200, header: [.contentType(.eventStream)], write)
    }
}

/// A notification of the server.
let progress = #"{"jsonrpc":"2.0","method":"notifications/progress"}"#
