import Logging
import RequestsCurl
import RequestsLifecycle
import RequestsTesting
import ServiceLifecycle

/// A program whose last request ends before its transport does.
@main
struct LifecycleExample {
    static func main() async throws {
        let server = try LoopbackServer.http { _ in .init(200, .plainText, "the last response") }
        let transport = try CurlTransport()
        let client = Client(transport: transport)
        let worker = Worker(client: client, api: BaseURL(server.baseURL))
        let logger = Logger(label: "example")
        let services: [any Service] = [
            TransportService(transport, draining: client), worker,
        ]
        var configuration = ServiceGroupConfiguration(
            services: services,
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(60)
        let group = ServiceGroup(configuration: configuration)
        async let running: Void = group.run()
        await group.triggerGracefulShutdown()
        try await running
        print("The transport's requests after the shutdown: \(await transport.statistics?.inFlight ?? 0)")
        withExtendedLifetime(server) {}
    }
}

/// A service that sends a request when it is shut down.
private struct Worker: Service {
    let client: Client
    let api: BaseURL

    func run() async throws {
        try await gracefulShutdown()
        print(try await client.send(api.get(.text, from: "/")))
    }
}
