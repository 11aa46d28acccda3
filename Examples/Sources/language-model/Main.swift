import Foundation
import RequestsCurl
import RequestsTesting
import Synchronization

/// Asks a language model a question, and prints the reply as it arrives. The model calls a tool first.
///
///     language-model                                          uses its own local server
///     language-model https://api.example.com/v1 MODEL TEXT    asks a real model, with the token in MODEL_TOKEN
@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let server = arguments.count == 3 ? nil : try ModelServer.start()
        guard let url = server?.baseURL ?? URL(string: arguments[0]) else { throw URLError(.badURL) }
        let token = ProcessInfo.processInfo.environment["MODEL_TOKEN"] ?? "t0ken"
        let api = ChatAPI(baseURL: url, token: token, model: server == nil ? arguments[1] : "local")
        let model = LanguageModel(api: api, client: Client(transport: CurlTransport.shared))

        let weather = Tool(
            "weather",
            "The weather in a city",
            parameters: ["type": "object", "properties": ["city": ["type": "string"]], "required": ["city"]]
        ) { arguments in
            print("    tool: weather \(arguments)")
            return "sunny, 21 °C"
        }
        var conversation = [Message.user(server == nil ? arguments[2] : "How is the weather in Oslo?")]
        try await model.reply(to: &conversation, tools: [weather]) { text in
            print(text, terminator: "")
            fflush(nil)
        }
        print()
        withExtendedLifetime(server) {}
    }
}

/// A server that responds with 429 first, then calls a tool, and then replies in pieces.
private enum ModelServer {
    static func start() throws -> LoopbackServer {
        let requests = Mutex(0)
        return try LoopbackServer.http { _ in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1:
                print("    server: busy")
                return .init(429, header: [Field(name: .retryAfter, value: "0")])
            case 2:
                let function = #"{"index":0,"id":"c1","function":{"name":"weather","arguments":"{\"city\":"}}"#
                return events([
                    #"{"tool_calls":[\#(function)]}"#,
                    #"{"tool_calls":[{"index":0,"function":{"arguments":"\"Oslo\"}"}}]}"#,
                ])
            default:
                return events(["It is ", "sunny ", "in Oslo."].map { #"{"content":"\#($0)"}"# })
            }
        }
    }

    private static func events(_ deltas: [String]) -> LoopbackServer.Answer {
        .streaming(200, header: [.contentType(.eventStream)]) { body in
            for delta in deltas {
                try body.write(data: #"{"choices":[{"delta":\#(delta)}]}"#)
                Thread.sleep(forTimeInterval: 0.1)
            }
            try body.write(data: "[DONE]")
        }
    }
}
