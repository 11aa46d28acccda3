import RequestsTesting
import Testing

/// The nginx that `scripts/test` starts. Without it, the tests that need it are skipped.
enum Nginx {
    private static let environment = ProcessInfo.processInfo.environment
    static let baseURL = environment["REQUESTS_NGINX_URL"].flatMap { URL(string: $0) }
    static let http2URL = environment["REQUESTS_NGINX_HTTP2_URL"].flatMap { URL(string: $0) }
    static let tlsURL = environment["REQUESTS_NGINX_TLS_URL"].flatMap { URL(string: $0) }
    static let socket = environment["REQUESTS_NGINX_SOCKET"]
    static let certificates = environment["REQUESTS_NGINX_CERTIFICATES"].map { URL(filePath: $0) }
    static let authority = certificates?.appending(path: "cert.pem")
}

@Suite(
    "Exchanges with nginx",
    .timeLimit(.minutes(5)),
    .enabled(if: Nginx.baseURL != nil, "REQUESTS_NGINX_URL is not set; scripts/test starts an nginx and sets it")
)
struct NginxTests {
    private func api() throws -> BaseURL {
        BaseURL(baseURL: try #require(Nginx.baseURL))
    }

    @Test("nginx receives the header fields and Basic credentials", arguments: TransportKind.allCases)
    func fields(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let request = try api().get(.text, from: "/headers")
            .with(header: [.accept(.json), .acceptLanguage("en-scouse"), .userAgent("probe/1")])
            .authenticated(with: .basicAuth(username: "Aladdin", password: "open sesame"))
        // The credentials are the example of RFC 7617 §2.
        #expect(
            try await client.send(request) == "application/json|en-scouse|Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==|probe/1"
        )
    }

    /// Only over libcurl. Without back-pressure, the whole body may arrive before the download is canceled.
    @Test("A canceled download resumes where it stopped")
    func resume() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = Client.Configuration()
        // The whole download may take less time than two reports are apart.
        configuration.progressInterval = .zero
        let client = Client(transport: try TransportKind.curl.makeTransport(), configuration: configuration)
        let request = try api().get(.data, from: "/bytes/16m")
        let task = Task {
            try await client.download(request, to: file, resume: true) { received, _ in
                if received > 0 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let beginning = Locked<Int64?>(nil)
        let response = try await client.download(request, to: file, resume: true) { received, _ in
            beginning.withLock { $0 = $0 ?? received }
        }
        #expect(response.head.statusCode == 206)
        #expect(try #require(beginning.withLock { $0 }) > 0)
        let whole = try await client.send(request)
        #expect(try Data(contentsOf: file) == whole)
    }
}
