import RequestsTesting
import Testing

@Suite("Server-sent events over each transport", .timeLimit(.minutes(5)))
struct EventsOverTransportsTests {
    @Test("Events resume after a lost connection and end with a 204", arguments: TransportKind.allCases)
    func reconnects(kind: TransportKind) async throws {
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
            switch request.header["Last-Event-ID"] {
            // A chunk of 32 bytes that ends early.
            case nil: try connection.write(head + "Transfer-Encoding: chunked\r\n\r\n20\r\nretry:0\nid:1\ndata:a\n\nda")
            // A stream that ends when the connection closes.
            case "1": try connection.write(head + "\r\nid:2\ndata:b\n\ndata:never")
            default: try connection.write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            }
        }
        defer { server.stop() }
        var configuration = Client.Configuration()
        // Without jitter there is no wait, because the server's `retry` is zero.
        configuration.random = { 0 }
        let client = Client(transport: try kind.makeTransport(), configuration: configuration)
        var events: [ServerSentEvent] = []
        let request = BaseURL(baseURL: server.baseURL).get(.none, from: "/events")
        for try await event in client.events(for: request) { events.append(event) }
        #expect(
            events == [
                ServerSentEvent(data: "a", id: "1", retry: .zero), ServerSentEvent(data: "b", id: "2"),
            ]
        )
        #expect(server.acceptedConnections == 3)
    }

    @Test("Leaving the loop over events closes their connection", arguments: TransportKind.allCases)
    func dropped(kind: TransportKind) async throws {
        let (closed, continuation) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata:a\n\n")
            while try !connection.read().isEmpty {}
            continuation.finish()
        }
        defer { server.stop() }
        let client = Client(transport: try kind.makeTransport())
        let request = BaseURL(baseURL: server.baseURL).get(.none, from: "/events")
        for try await event in client.events(for: request) {
            #expect(event.data == "a")
            break
        }
        for await _ in closed {}
    }
}
