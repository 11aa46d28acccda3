import Foundation
import Logging
import RequestsCurl
import RequestsLogging
import RequestsTesting
import Synchronization

/// Logs the calls of a client with swift-log, first everything, then only retries and failures.
@main
struct LoggingExample {
    static func main() async throws {
        let server = try UnreliableServer.start()
        let api = BaseURL(server.baseURL)
        let request = api.get(.text, from: "/greetings").with(query: ["to": "world", "token": "s3cret"])
            .authenticated(with: .bearerToken("s3cret"))

        var logger = Logger(
            label: "http",
            factory: StreamLogHandler.standardOutput(label:)
        )
        logger.logLevel = .debug
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.milliseconds(10), limit: 1)
        configuration.log = .swiftLog(logger)
        let client = Client(transport: CurlTransport.shared, configuration: configuration)

        print("Everything, at level debug:")
        print("the server says: \(try await client.send(request))")

        print("\nOnly retries and failures, at level notice:")
        logger.logLevel = .notice
        var quiet = client
        quiet.configuration.log = .swiftLog(logger)
        print("the server says: \(try await quiet.send(request))")
        _ = await quiet.result(of: api.get(.text, from: "/missing"))

        print("\nA library logs nothing above info:")
        logger.logLevel = .info
        quiet.configuration.log = .swiftLog(logger) { event in
            switch event.kind {
            case .retrying, .failed: .info
            case .started, .attempt, .message, .succeeded, .canceled: .trace
            }
        }
        _ = await quiet.result(of: api.get(.text, from: "/missing"))
        withExtendedLifetime(server) {}
    }
}

/// A server whose every second response is an error.
private enum UnreliableServer {
    private static let greetings = Atomic(0)

    static func start() throws -> LoopbackServer {
        try LoopbackServer.http { request in
            guard request.path == "/greetings" else { return .init(404) }
            let isAvailable = greetings.add(1, ordering: .relaxed).newValue.isMultiple(of: 2)
            return isAvailable ? .init(200, .plainText, "hello") : .init(503)
        }
    }
}
