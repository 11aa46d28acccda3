import Foundation
import Requests
import RequestsClient
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Parity of transports", .timeLimit(.minutes(5)))
struct TransportParityTests {
    private let server: LoopbackServer
    private let api: AnonymousRequestProvider

    init() throws {
        server = try LoopbackServer.http { _ in .init(200, .plainText, "hello") }
        api = AnonymousRequestProvider(baseURL: server.baseURL)
    }

    @Test("CurlTransport rejects a network service type and a cellular restriction")
    func refusedOptions() async throws {
        var options: [CallOptions] = [.init(), .init()]
        options[0].networkServiceType = .background
        options[1].allowsCellularAccess = false
        for options in options {
            let request = try api.get(.text, from: "/").with(options: options).prepared()
            let error = await #expect(throws: TransportError.self) { try await CurlTransport.shared.send(request) }
            #expect(error?.code == .unsupported)
        }
        #expect(server.acceptedConnections == 0)
        // The default values change nothing, so they are accepted.
        var plain = CallOptions()
        plain.networkServiceType = .default
        plain.allowsCellularAccess = true
        #expect(
            try await Client(transport: CurlTransport()).send(api.get(.text, from: "/").with(options: plain)) == "hello"
        )
    }

    @Test("The response and the log have the same metrics", arguments: TransportKind.allCases)
    func metrics(kind: TransportKind) async throws {
        let ended = Locked<Duration?>(nil)
        var configuration = Client.Configuration()
        configuration.log = LogDestination { event in
            if case .succeeded(_, _, _, let metrics) = event.kind { ended.withLock { $0 = metrics?.responseEnd } }
        }
        let client = Client(transport: try kind.makeTransport(), configuration: configuration)
        let clock = ContinuousClock()
        let start = clock.now
        let metrics = try #require(try await client.response(for: api.get(.text, from: "/")).metrics)
        let elapsed = clock.now - start
        let took = try #require(metrics.responseEnd)
        #expect(took > .zero && took <= elapsed)
        #expect(ended.withLock { $0 } == took)
    }
}
