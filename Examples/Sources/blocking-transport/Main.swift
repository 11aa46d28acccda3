import Foundation
import RequestsTesting

/// Sends a request over a blocking socket, with a retry, a cookie, a redirect and a bearer token.
///
///     blocking-transport       uses its own local server
@main
struct Main {
    static func main() async throws {
        let server = try AccountServer.start()
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.milliseconds(10))
        configuration.cookies = CookieStore()
        configuration.timeouts.total = .seconds(5)
        configuration.authenticate(server.baseURL, with: .bearerToken("t0ken"))
        let client = Client(transport: BlockingTransport(), configuration: configuration)
        let response = try await client.response(for: BaseURL(server.baseURL).get(.text, from: "/account"))
        print("\(response.head): \(response.content)")
        guard response.statusCode == 200, server.acceptedConnections == 3 else {
            throw CocoaError(.fileReadCorruptFile)
        }
    }
}

/// A server that responds with 503 first, and then sets a cookie and redirects.
private enum AccountServer {
    static func start() throws -> LoopbackServer {
        let busy = Countdown(1)
        // Each connection serves one request, so the client can read up to the connection's end.
        return try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            let fields = request.header.filter { ["Authorization", "Cookie"].contains($0.name) }
            print("    server: \(request.path) \(fields.map(\.description).joined(separator: ", "))")
            if busy.isRunning() { return try connection.write(.init(503)) }
            guard request.header["Cookie"] == "session=1" else {
                let header: Header = [
                    Field(name: .setCookie, value: "session=1"), Field(name: .location, value: "/account/7"),
                ]
                return try connection.write(.init(302, header: header))
            }
            try connection.write(.init(200, .plainText, "hello"))
        }
    }
}

/// A countdown that any thread can use.
private final class Countdown: @unchecked Sendable {
    private let lock = NSLock()
    private var rest: Int

    init(_ rest: Int) { self.rest = rest }

    func isRunning() -> Bool {
        lock.withLock {
            rest -= 1
            return rest >= 0
        }
    }
}
