import Foundation
import RequestsClient

/// A session with a Model Context Protocol server over Streamable HTTP (revision 2025-06-18).
struct MCPSession: Sendable {
    private let server: MCPServer
    private let client: Client
    private let onMessage: @Sendable (Message) async -> Void

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - url: The URL of the server.
    ///   - onMessage: Called with messages that the server sends during a call in addition to the result, such as
    ///     progress. Default: does nothing.
    static func start(
        at url: URL,
        client: Client,
        onMessage: @escaping @Sendable (Message) async -> Void = { _ in }
    ) async throws -> MCPSession {
        let unopened = MCPSession(server: MCPServer(baseURL: url), client: client, onMessage: onMessage)
        let (hello, head) = try await unopened.exchange(
            "initialize",
            [
                "protocolVersion": "2025-06-18", "capabilities": [:],
                "clientInfo": ["name": "mcp-client", "version": "1.0"],
            ]
        )
        var server = MCPServer(baseURL: url, sessionID: head.header[.mcpSessionID])
        if case .object(let members) = hello, case .string(let version) = members["protocolVersion"] {
            server.version = version
        }
        let session = MCPSession(server: server, client: client, onMessage: onMessage)
        try await session.send(Message(method: "notifications/initialized"))
        return session
    }

    /// Calls a method of the server, and returns the result.
    func call(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        try await exchange(method, params).result
    }

    /// Sends a notification, or a response to a request from the server.
    func send(_ message: Message) async throws {
        try await translatingErrors { try await client.send(server.post(json: message, to: "")) }
    }

    /// Returns the messages that the server sends outside of calls. If the connection breaks, reconnects and continues
    /// after the last message.
    func messages() -> some AsyncSequence<Message, any Error> & Sendable {
        client.events(for: server.stream()).map { try $0.message() }
    }

    /// Ends the session. A server that doesn't support this (status 405) ends it on its own later.
    func end() async throws {
        try await client.send(server.delete("", receiving: .none.validating(status: [200, 202, 204, 404, 405])))
    }

    /// Sends a request, and reads its response as JSON or as a stream of events.
    private func exchange(
        _ method: String,
        _ params: JSONValue?
    ) async throws -> (result: JSONValue, head: ResponseHead) {
        // A random identifier needs no counter, so a session can be a value.
        let request = Message(id: .string(UUID().uuidString), method: method, params: params)
        return try await translatingErrors {
            let response = try await client.stream(server.post(json: request, to: "")).validated()
            let reply =
                if response.head.mediaType?.matches(.eventStream) == true {
                    try await result(of: request, in: response.content)
                } else {
                    try ResponseDecoder.json(Message.self)
                        .decode(response.head, try await response.content.collect(upTo: 16 << 20))
                }
            if let failure = reply?.error { throw MCPError.failed(failure) }
            guard let result = reply?.result else { throw MCPError.noResult(method: method) }
            return (result, response.head)
        }
    }

    /// Reads a stream up to the response to a request. If it ends or breaks earlier, continues it with a new request,
    /// as long as each one brings new events.
    private func result(of request: Message, in body: ResponseBody) async throws -> Message? {
        var (body, lastID, wait) = (body, "", Duration.zero)
        while true {
            let firstID = lastID
            do {
                for try await event in body.serverSentEvents {
                    if !event.id.isEmpty { lastID = event.id }
                    wait = min(event.retry ?? wait, .seconds(30))
                    if let reply = try await reply(to: request, in: event) { return reply }
                }
            } catch is TransportError where lastID != firstID {
                // The stream continues below. The request isn't resent, because the server may be working on it.
            }
            guard lastID != firstID else { return nil }
            try await Task.sleep(for: wait)
            let rest = server.stream().setting("Last-Event-ID", lastID).retrying(.exponential())
            body = try await client.stream(rest).validated().content
        }
    }

    /// Returns the message of an event if it is the response to a request. Otherwise passes it to `onMessage`.
    private func reply(to request: Message, in event: ServerSentEvent) async throws -> Message? {
        guard !event.data.isEmpty else { return nil }
        let message = try event.message()
        if message.method == nil, message.id == request.id { return message }
        await onMessage(message)
        return nil
    }

    private func translatingErrors<Result>(_ operation: () async throws -> Result) async throws -> Result {
        do {
            return try await operation()
        } catch let error as ResponseError where error.statusCode == 404 && server.sessionID != nil {
            throw MCPError.sessionEnded
        }
    }
}

/// The requests of the protocol, which all have the same URL.
private struct MCPServer: RequestProviding {
    let baseURL: URL
    var sessionID: String?
    /// The protocol version that the client and the server agreed on. `nil` before that.
    var version: String?

    func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<MCPServer, Void> {
        Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
            .adding(headerField: .accept(.json, .eventStream))
            .with { request in
                if let sessionID { request.header.set(Field(name: .mcpSessionID, value: sessionID)) }
                if let version { request.header.set(Field(name: "MCP-Protocol-Version", value: version)) }
            }
    }

    /// Returns a request for the server's own stream or, with `Last-Event-ID`, for the rest of another stream.
    func stream() -> Request<MCPServer, Void> { get(.none, from: "") }
}

extension Field.Name {
    fileprivate static let mcpSessionID: Field.Name = "Mcp-Session-Id"
}

extension ServerSentEvent {
    fileprivate func message() throws -> Message {
        try JSONDecoder().decode(Message.self, from: Data(data.utf8))
    }
}
