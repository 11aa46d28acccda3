import Foundation
import RequestsCurl
import RequestsTesting
import Synchronization

/// Lists the tools of a Model Context Protocol server.
///
///     mcp-client                            uses its own local server, which drops a connection
///     mcp-client https://example.com/mcp    uses a real one
@main
struct Main {
    static func main() async throws {
        let server = CommandLine.arguments.count > 1 ? nil : try ToolServer.start()
        guard let url = server?.baseURL.appending(path: "mcp") ?? URL(string: CommandLine.arguments[1]) else {
            throw URLError(.badURL)
        }
        let session = try await MCPSession.start(at: url, client: Client(transport: CurlTransport.shared)) { message in
            print("message: \(message.method ?? "-") \(message.params ?? .null)")
        }
        print("tools: \(try await session.call("tools/list"))")
        if server != nil {
            let parameters: JSONValue = ["name": "add", "arguments": ["a": 2, "b": 3]]
            print("add: \(try await session.call("tools/call", parameters))")
        }
        try await session.end()
        withExtendedLifetime(server) {}
    }
}

/// A server with a tool that reports its progress, and whose connection breaks before the result.
private enum ToolServer {
    static func start() throws -> LoopbackServer {
        let header: Header = [.contentType(.json), Field(name: "Mcp-Session-Id", value: "s1")]
        let unfinished = Mutex("")
        return try LoopbackServer.http { request in
            let call = try? JSONDecoder().decode(Message.self, from: request.body)
            func reply(_ result: String) -> String {
                #"{"jsonrpc":"2.0","id":\#(call?.id ?? .null),"result":\#(result)}"#
            }
            func answer(_ result: String) -> LoopbackServer.Answer {
                .init(200, header: header, body: Data(reply(result).utf8))
            }
            let lastID = request.header["Last-Event-ID"].map { "after \($0)" }
            print("    server: \(request.method) \(call?.method ?? lastID ?? "")")
            switch call?.method {
            case "initialize": return answer(#"{"protocolVersion":"2025-06-18"}"#)
            case "tools/list": return answer(#"{"tools":[{"name":"add"}]}"#)
            case "tools/call":
                unfinished.withLock { $0 = reply(#"{"content":[{"type":"text","text":"5"}]}"#) }
                return .streaming(200, header: [.contentType(.eventStream)]) { body in
                    let progress = #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#
                    try body.write(id: "e1", data: progress)
                    // Closes the connection in the middle of the response.
                    throw POSIXError(.ECONNRESET)
                }
            case nil where request.method == .get:
                let result = unfinished.withLock { $0 }
                return .streaming(200, header: [.contentType(.eventStream)]) { try $0.write(id: "e2", data: result) }
            default: return .init(request.method == .delete ? 204 : 202)
            }
        }
    }
}
