import RequestsCache
import RequestsCurl
import RequestsTesting
import Synchronization

/// Requests that are sent one after another, with what a good private cache makes of them.
struct WireRow: Sendable, CustomStringConvertible {
    /// One request, what the server sends if it gets it, and what the caller gets.
    struct Step: Sendable {
        let request: String
        let reply: String
        let result: String

        /// - Parameters:
        ///   - request: The method, the path unless it is `/a`, a body and the fields: `GET /a body|Range: bytes=0-1`.
        ///     `+10 GET` is sent 10 seconds later.
        ///   - reply: The status, the fields and the body: `200|ETag: "a"||body`. `{+5}` is the date in 5 seconds. The
        ///     length is added unless the reply says how it is framed. `&` separates informational responses. Empty to
        ///     close the connection.
        ///   - result: The cache's part, the status and the body, and the requests that the server got with their
        ///     conditions and ranges: `revalidated 200 body < GET If-None-Match: "a"`.
        init(_ request: String, _ reply: String, _ result: String) {
            (self.request, self.reply, self.result) = (request, reply, result)
        }

        /// A request that the cache answers.
        init(_ request: String, _ result: String) { self.init(request, "500|X-Unexpected: yes", result) }
    }

    let description: String
    let steps: [Step]

    init(_ description: String, _ steps: Step...) { (self.description, self.steps) = (description, steps) }
}

/// A client with a cache over libcurl, and a server that keeps its connection open.
final class WireBench: Sendable {
    private final class Script: Sendable {
        let state = Mutex((date: Date(timeIntervalSince1970: 1_800_000_000), reply: "", requests: [String]()))
    }

    private let script = Script()
    private let server: LoopbackServer
    private let client: Client

    init(
        _ store: some CacheStore = .memory(bytes: 1 << 20),
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) throws {
        server = try LoopbackServer { [script] connection in
            while let request = try connection.readRequest() {
                let reply = script.state.withLock { state in
                    state.requests.append(WireBench.summary(of: request))
                    return WireBench.message(state.reply, to: request.method, at: state.date)
                }
                try connection.write(reply)
                if reply.isEmpty || reply.contains("Connection: close") { return }
            }
        }
        var configuration = Client.Configuration()
        var rules = HTTPCache.Rules()
        rules.servesStaleIfDisconnected = true
        configuration.cache = HTTPCache(store, rules: rules)
        configuration.date = { [script] in script.state.withLock { $0.date } }
        configuration.validation = .none
        configure(&configuration)
        client = Client(transport: CurlTransport.shared, configuration: configuration)
    }

    /// Sends the request of a step. Returns what came of it, in the form of its result, and the header.
    func result(of step: WireRow.Step) async throws -> (text: String, header: Header) {
        var lines = step.request.split(separator: "|").map(String.init)
        var words = lines.removeFirst().split(separator: " ").map(String.init)
        let delay = words[0].hasPrefix("+") ? Double(words.removeFirst()) ?? 0 : 0
        let date = script.state.withLock { state in
            (state.reply, state.requests) = (step.reply, [])
            state.date += delay
            return state.date
        }
        let fields = lines.map { line -> Field in
            let parts = WireBench.dated(line, at: date).components(separatedBy: ": ")
            return Field(name: Field.Name(parts[0]), value: parts.dropFirst().joined(separator: ": "))
        }
        let url = try RequestURL("\(server.baseURL)\(words.count > 1 ? words[1] : "/a")")
        let method = HTTPMethod(rawValue: words[0])
        var request = try PreparedRequest(method: method, url: url, header: Header(fields))
        if words.count > 2 { request.body = .data(Data(words[2].utf8)) }
        var (text, header) = ("", Header.empty)
        do {
            let response = try await client.response(for: request)
            let kind = response.head.cacheStatus?.kind.rawValue ?? "none"
            text = "\(kind) \(response.head.statusCode) \(String(decoding: response.content, as: UTF8.self))"
            header = response.head.header
        } catch let error as TransportError {
            text = error.code.rawValue
        }
        return (([text] + script.state.withLock { $0.requests }).joined(separator: " < "), header)
    }

    /// Returns the method, the path unless it is `/a`, and the fields of conditions and ranges.
    private static func summary(of request: LoopbackServer.Request) -> String {
        let names: [Field.Name] = [.ifNoneMatch, .ifModifiedSince, .range, .ifRange]
        let fields = names.flatMap { name in request.header[values: name].map { " \(name): \($0)" } }
        return "\(request.method)\(request.path == "/a" ? "" : " \(request.path)")\(fields.joined())"
    }

    private static func message(_ reply: String, to method: HTTPMethod, at date: Date) -> String {
        guard !reply.isEmpty else { return "" }
        return dated(reply, at: date).components(separatedBy: "&").map { message in
            let parts = message.components(separatedBy: "||")
            var lines = parts[0].split(separator: "|").map(String.init)
            let isFramed = ["content-length:", "transfer-encoding:", "connection: close"].contains { name in
                lines.contains { $0.lowercased().hasPrefix(name) }
            }
            let hasBody = !["1", "204", "304"].contains { lines[0].hasPrefix($0) }
            if hasBody, !isFramed { lines.append("Content-Length: \(parts.dropFirst().joined().utf8.count)") }
            lines[0] = "HTTP/1.1 \(lines[0]) Status"
            return (lines + ["", method == .head ? "" : parts.dropFirst().joined()]).joined(separator: "\r\n")
        }.joined()
    }

    private static func dated(_ text: String, at date: Date) -> String {
        text.replacing(#/\{([+-]\d+)\}/#) { match in Field.ifModifiedSince(date + (Double(match.1) ?? 0)).value }
    }
}
