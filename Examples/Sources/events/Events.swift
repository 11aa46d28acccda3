import Foundation
import RequestsCurl
import RequestsTesting

/// Prints the server-sent events of a URL as they arrive, like `tail -f`.
///
///     events                                    uses its own local server, which drops connections
///     events https://example.com/events [id]    prints a real stream, after the event with this identifier
@main
struct Events {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let server = arguments.count > 1 ? nil : try EventServer.start()
        guard let url = server?.baseURL.appending(path: "events") ?? URL(string: arguments[1]) else {
            throw URLError(.badURL)
        }
        let client = Client(transport: CurlTransport.shared)
        let request = BaseURL(url).get(.none, from: "")
        let lastID = arguments.count > 2 ? arguments[2] : nil
        // The loop reconnects after errors, and ends when the server responds with 204.
        for try await event in client.events(for: request, lastEventID: lastID) {
            print("\(event.id.isEmpty ? "-" : event.id)  \(event.event)  \(event.data)")
        }
        print("the server has no more events")
        withExtendedLifetime(server) {}
    }
}

/// A server that closes the connection after every second event.
private enum EventServer {
    static let words = ["the", "quick", "brown", "fox", "jumps"]

    static func start() throws -> LoopbackServer {
        try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            let next = request.header["Last-Event-ID"].flatMap { Int($0) }.map { $0 + 1 } ?? 0
            print("    server: from event \(next)")
            guard next < words.count else { return try connection.write(.init(204)) }
            try connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 100\n")
            for id in next..<min(next + 2, words.count) {
                try connection.write("id: \(id)\nevent: word\ndata: \(words[id])\n\n")
                Thread.sleep(forTimeInterval: 0.1)
            }
            // An incomplete event, which the client ignores.
            try connection.write("data: never")
        }
    }
}
