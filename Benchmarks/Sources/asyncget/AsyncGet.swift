import AsyncHTTPClient
import FoundationEssentials
import NIOCore

/// The same as `get` in Benchmarks/Light, with AsyncHTTPClient.
@main
enum AsyncGet {
    static func main() async throws {
        let request = HTTPClientRequest(url: CommandLine.arguments[1])
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 1 << 20)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let memory = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        print(body.readableBytes, memory)
    }
}
