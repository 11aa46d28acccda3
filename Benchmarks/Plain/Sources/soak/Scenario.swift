import Foundation
import RequestsCurl
import RequestsTesting

/// A way to connect, with its server.
enum Scenario: String, CaseIterable {
    case plain = "HTTP/1.1"
    case tls = "HTTP/1.1 over TLS"
    case http2 = "HTTP/2"
    case executor = "tasks on the transport's thread"
    case shortLived = "a transport for each exchange"

    private static let nginx = ProcessInfo.processInfo.environment["REQUESTS_NGINX_TLS_URL"].flatMap { URL(string: $0) }
    private static let certificates = ProcessInfo.processInfo.environment["REQUESTS_NGINX_CERTIFICATES"]

    /// Whether the system has what the scenario needs.
    var isAvailable: Bool {
        switch self {
        case .plain, .executor, .shortLived: true
        case .tls, .http2: Scenario.nginx != nil
        }
    }

    private func configuration() -> CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        guard self == .tls || self == .http2, let certificates = Scenario.certificates else { return configuration }
        configuration.tls.authorities = .file(URL(filePath: "\(certificates)/cert.pem"))
        configuration.httpVersion = self == .http2 ? .http2 : .http1_1
        return configuration
    }

    /// Runs visitors until a time.
    ///
    /// - Parameter server: The misbehaving server.
    /// - Returns: How often each outcome occurred.
    func run(_ seeds: Range<Int>, until end: ContinuousClock.Instant, _ server: URL) async throws -> [String: Int] {
        let transport = try CurlTransport(configuration: configuration())
        let usesNginx = self == .tls || self == .http2
        let baseURL = usesNginx ? Scenario.nginx ?? server : server
        let pages = usesNginx ? Page.nginx : Page.misbehaving
        let counts = try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for seed in seeds {
                group.addTask {
                    let visitor = Visitor(baseURL: baseURL, pages: pages, seed: UInt64(seed)) {
                        self == .shortLived ? try CurlTransport() : transport
                    }
                    let executor = self == .executor ? transport.taskExecutor : nil
                    return try await withTaskExecutorPreference(executor) { try await visitor.visit(until: end) }
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        await transport.shutdown()
        return counts
    }
}
