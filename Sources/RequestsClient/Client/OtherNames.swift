import Requests

// Names that users of other libraries try first. Each says what to write.

extension Client {
    /// A request is a value, which is sent.
    @available(*, unavailable, message: "write client.send(.get(json: User.self, from: url))")
    public func get<R>(_ url: Endpoint) async throws -> R { throw CancellationError() }

    /// A request is a value, which is sent.
    @available(*, unavailable, message: "write client.send(.post(json: value, to: url, receiving: User.self))")
    public func post<R>(_ url: Endpoint, json: some Encodable) async throws -> R { throw CancellationError() }
}

extension Client.Configuration {
    /// Each timeout has a name.
    @available(*, unavailable, message: "write configuration.timeouts.total, or .idle for the time without a byte")
    public var timeout: Duration {
        get { .zero }
        set {}
    }

    /// A base URL belongs to an API.
    @available(*, unavailable, message: "declare a type that conforms to RequestProviding, with its baseURL")
    public var baseURL: URL {
        get { URL("") }
        set {}
    }

    /// The header.
    @available(*, unavailable, renamed: "header")
    public var headers: Header {
        get { header }
        set {}
    }

    /// A field of the header.
    @available(*, unavailable, message: "write configuration.header[.userAgent] = \"app/1.0\"")
    public var userAgent: String {
        get { "" }
        set {}
    }

    /// The destination of log events.
    @available(*, unavailable, message: "write configuration.log = .console, or LogDestination { event in … }")
    public var logger: (Any) -> Void {
        get { { _ in } }
        set {}
    }

    /// A decoder belongs to an API or a request.
    @available(*, unavailable, message: "set an API's coders, or receive .json(decoder: decoder)")
    public var decoder: JSONDecoder {
        get { JSONDecoder() }
        set {}
    }

    /// The maximum number of calls in progress.
    @available(*, unavailable, renamed: "maximumConcurrentCalls")
    public var maxConcurrentRequests: Int? {
        get { nil }
        set {}
    }
}
