@preconcurrency import Forecasts
import Foundation
import RequestsCurl
import RequestsTesting
import Synchronization

/// Sends the requests of a library written for URLSession over libcurl, with retries that the library doesn't have.
///
///     port-a-library    uses its own local server
@main
struct Main {
    static func main() async throws {
        let server = try ForecastServer.start()
        var client = Client(transport: CurlTransport.shared)
        client.configuration.retries = .exponential()
        let forecasts = Forecasts(baseURL: server.baseURL, session: ClientSession(client: client))

        print("today: \(try await forecasts.today(in: "Oslo").text)")
        try await forecasts.follow("Oslo") { print("update: \($0.text)") }
        let error = await withCheckedContinuation { continuation in
            forecasts.report("snow", in: "Atlantis") { continuation.resume(returning: $0) }
        }
        print("report: \(error.map { "\($0)" } ?? "done")")
        withExtendedLifetime(server) {}
    }
}

extension Bool {
    /// Sets the value to `false`, and returns the previous value.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}

/// A server that responds with 503 first.
private enum ForecastServer {
    static func start() throws -> LoopbackServer {
        let isBusy = Mutex(true)
        return try LoopbackServer.http { request in
            switch request.path {
            case "/cities/Oslo/today":
                guard isBusy.withLock({ isBusy in isBusy.take() }) else { return .init(200, .plainText, "sunny") }
                print("    server: busy")
                return .init(503)
            case "/cities/Oslo/updates":
                return .streaming(200) { body in
                    for text in ["clouds", "rain", "sunny again"] {
                        try body.write("\(text)\n")
                        Thread.sleep(forTimeInterval: 0.1)
                    }
                }
            default: return .init(404)
            }
        }
    }
}
