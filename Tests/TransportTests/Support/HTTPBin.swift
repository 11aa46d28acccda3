import Requests
import Testing

/// The httpbin that `scripts/test` starts. Without it, the tests that need it are skipped.
enum HTTPBin {
    private static let environment = ProcessInfo.processInfo.environment
    static let baseURL = environment["REQUESTS_HTTPBIN_URL"].flatMap { URL(string: $0) }
    /// A Python with the module `jsonschema`.
    static let python = environment["REQUESTS_HTTPBIN_PYTHON"]
    static let absence: Comment = "REQUESTS_HTTPBIN_URL is not set; scripts/test starts an httpbin and sets it"

    static func api() throws -> BaseURL {
        BaseURL(baseURL: try #require(baseURL))
    }

    /// The response of `/anything`, which describes the request.
    struct Echo: Decodable, Sendable {
        var method: String
        var url: String
        var args: [String: String]
        var headers: [String: String]
        var form: [String: String]
        var files: [String: String]
        /// The body, unless it is a form.
        var data: String
        var json: [String: Int]?
    }
}
