import Foundation
import RequestsCurl

/// What is done with a transport while a call fails.
enum Exchange: String, CaseIterable {
    case get, large, post, upload, redirect, cancel, together, name, tls, http2, priorKnowledge, shutdown

    struct WrongResponse: Error {}

    private static let environment = ProcessInfo.processInfo.environment
    private static let idle = Duration.seconds(20)

    var configuration: CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        if let certificates = Exchange.environment["REQUESTS_NGINX_CERTIFICATES"] {
            configuration.tls.authorities = .file(URL(filePath: "\(certificates)/cert.pem"))
        }
        switch self {
        case .tls: configuration.httpVersion = .http1_1
        case .priorKnowledge: configuration.httpVersion = .http2WithPriorKnowledge
        default: break
        }
        return configuration
    }

    /// The libraries that libcurl has memory for when they call it back, because of defects in libcurl 7.88.
    ///
    /// If libcurl can't store a TLS session, it frees the host's name twice. If it can't store a response field over
    /// HTTP/2, other transfers of the connection wait for their timeouts.
    var sparedLibraries: [String] {
        switch self {
        case .tls: ["libssl"]
        case .http2: ["libssl", "libnghttp2"]
        default: []
        }
    }

    /// The functions that don't fail. If a thread that has resolved a name can't wake its transfer, libcurl 7.88 leaks
    /// the addresses.
    var sparedFunctions: [String] { self == .name ? ["send"] : [] }

    /// The server. `nil` if nginx can't be it here.
    var baseURL: URL? {
        let name =
            switch self {
            case .tls, .http2: "REQUESTS_NGINX_TLS_URL"
            case .priorKnowledge: "REQUESTS_NGINX_HTTP2_URL"
            default: "REQUESTS_NGINX_URL"
            }
        let text = Exchange.environment[name]
        return (self == .name ? text?.replacingOccurrences(of: "127.0.0.1", with: "server.test") : text)
            .flatMap { URL(string: $0) }
    }

    /// Throws ``WrongResponse`` unless the exchange fails with another error, or gets what the server sends.
    func run(over transport: CurlTransport) async throws {
        switch self {
        case .get, .name, .tls, .priorKnowledge, .shutdown: try await get(over: transport)
        case .large: try await expect(Body.lines, of: api.get(.data, from: "/bytes/1m"), over: transport)
        case .post: try await post(.raw(data: Body.json), over: transport)
        case .upload: try await post(.chunks(Body.pieces, length: Int64(Body.length)), over: transport)
        case .redirect: try await expect(Body.json, of: api.get(.data, from: "/status/301"), over: transport)
        case .cancel: try await cancel(over: transport)
        case .together, .http2: try await getTogether(over: transport)
        }
    }

    /// The simplest exchange with the same server.
    func get(over transport: CurlTransport) async throws {
        try await expect(Body.json, of: api.get(.data, from: "/json"), over: transport)
    }

    private var api: BaseURL {
        BaseURL(baseURL ?? URL("http://127.0.0.1"))
    }

    private func expect(
        _ body: Data,
        of request: Request<BaseURL, Data>,
        over transport: CurlTransport
    ) async throws {
        let received = try await Client(transport: transport).send(request.timeouts(idle: Exchange.idle))
        guard received == body else { throw WrongResponse() }
    }

    private func post(_ body: BodyProvider, over transport: CurlTransport) async throws {
        let expected = Data("POST /echo\n\napplication/octet-stream \(Body.length)\n".utf8)
        try await expect(expected, of: api.post(body, to: "/echo").receiving(.data), over: transport)
    }

    /// Cancels the task in the middle of the body.
    private func cancel(over transport: CurlTransport) async throws {
        let request = try api.get(.data, from: "/bytes/16m").timeouts(idle: Exchange.idle).prepared()
        let task = Task {
            for try await _ in try await transport.send(request).content {
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        do {
            try await task.value
            throw WrongResponse()
        } catch is CancellationError {}
    }

    private func getTogether(over transport: CurlTransport) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 { group.addTask { try await get(over: transport) } }
            // Each exchange has to end by itself.
            var failure: (any Error)?
            while let result = await group.nextResult() {
                if case .failure(let error) = result { failure = error }
            }
            if let failure { throw failure }
        }
    }
}
