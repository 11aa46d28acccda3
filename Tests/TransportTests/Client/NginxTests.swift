import Foundation
import Requests
import RequestsClient
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
    private struct User: Codable, Equatable {
        var id: Int
        var name: String
    }

    private func api() throws -> BaseURL {
        BaseURL(baseURL: try #require(Nginx.baseURL))
    }

    @Test("JSON of nginx is decoded", arguments: TransportKind.allCases)
    func json(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        #expect(try await client.send(api().get(json: User.self, from: "/user/1")) == User(id: 1, name: "Ada"))
    }

    @Test(
        "Status codes of nginx are delivered unchanged",
        arguments: TransportKind.allCases,
        [200, 204, 301, 304, 400, 401, 404, 500, 503]
    )
    func status(kind: TransportKind, code: Int) async throws {
        let transport = try kind.makeTransport()
        let response = try await transport.send(api().get(.data, from: "/status/\(code)").prepared())
        #expect(response.head.statusCode == code)
        _ = try await response.content.collect(upTo: 10_000)
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

    @Test("A response of 16 MiB is collected", arguments: TransportKind.allCases)
    func large(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let data = try await client.send(api().get(.data, from: "/bytes/16m"))
        #expect(data.count == 16 << 20)
        #expect(data.prefix(10) == Data("0123456789".utf8))
    }

    @Test("An upload of 3 MB reaches nginx", arguments: TransportKind.allCases)
    func upload(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let body = Data(count: 3_000_000)
        let text = try await client.send(api().post(.raw(data: body), to: "/echo").receiving(.text))
        #expect(text == "POST /echo\n\napplication/octet-stream 3000000\n")
    }

    @Test("64 concurrent requests to nginx succeed", arguments: TransportKind.allCases)
    func concurrent(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let request = try api().get(json: User.self, from: "/user/1")
        try await withThrowingTaskGroup(of: User.self) { group in
            for _ in 0..<64 { group.addTask { try await client.send(request) } }
            for try await user in group { #expect(user.name == "Ada") }
        }
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
