import FoundationEssentials
import RequestsCurl

/// Gets a URL, and prints the size of the body and the anonymous memory of the process.
@main
enum Get {
    static func main() async throws {
        let request = try PreparedRequest(url: RequestURL(CommandLine.arguments[1]))
        let body = try await Client(transport: CurlTransport.shared).send(request)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let memory = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        print(body.count, memory)
    }
}
