/// A request ready to be sent: the message, and the options of its call.
///
/// A ``RequestURL`` is always valid. The other parts can be set to anything, so a transport calls ``validate()`` before
/// it sends anything.
public struct PreparedRequest: Sendable {
    /// The parts, which copies share until one of them changes.
    private struct Parts {
        var method: HTTPMethod
        var url: RequestURL
        var header: Header
        var body: RequestBody
        var options: CallOptions
        var endpoint: Endpoint?
        var isAuthenticated: Bool
    }

    /// Safe: its parts change only while it has a single owner (``parts``).
    private final class Storage: @unchecked Sendable {
        // Checking accesses that can't overlap costs 2 % of a call.
        @safe @exclusivity(unchecked) var parts: Parts

        init(_ parts: consuming Parts) { self.parts = parts }
    }

    // Policies copy a request often: one reference instead of 264 bytes saves a third of a call's cost.
    private var storage: Storage

    private var parts: Parts {
        _read { yield storage.parts }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.parts) }
            yield &storage.parts
        }
    }

    /// The method.
    public var method: HTTPMethod {
        get { parts.method }
        _modify { yield &parts.method }
    }

    /// The URL.
    public var url: RequestURL {
        get { parts.url }
        _modify { yield &parts.url }
    }

    /// The header, without the fields that the transport writes (`Host`, `Content-Length`).
    public var header: Header {
        get { parts.header }
        _modify { yield &parts.header }
    }

    /// The body.
    public var body: RequestBody {
        get { parts.body }
        _modify { yield &parts.body }
    }

    /// Everything optional about the call.
    public var options: CallOptions {
        _read { yield parts.options }
        _modify { yield &parts.options }
    }

    /// The endpoint with `{}` in the place of each interpolated value, such as `/users/{}/posts`, or the URI template
    /// that it was created from.
    ///
    /// Names the operation in logs, metrics and stubs. `nil` if the endpoint was created with `Endpoint(path:)` or
    /// `Endpoint(key:)`, or the request from a URL, because such names would have as many values as there are URLs.
    /// Not compared.
    public var template: String? { parts.endpoint?.template }

    /// The name of the operation: `options.operation`, or else ``template``.
    public var operation: String? { options.operation ?? template }

    /// Whether authentication is done, so that a client adds no credentials. Not compared.
    ///
    /// `true` if the request was built with its own authentication or with `.none`, or has an `Authorization` field.
    public package(set) var isAuthenticated: Bool {
        get { parts.isAuthenticated }
        set { if newValue != parts.isAuthenticated { parts.isAuthenticated = newValue } }
    }

    /// Creates a request.
    ///
    /// - Throws: ``RequestError`` as ``validate()`` does.
    public init(
        method: HTTPMethod = .get,
        url: RequestURL,
        header: Header = .empty,
        body: RequestBody = .none,
        options: CallOptions = CallOptions()
    ) throws(RequestError) {
        self.init(
            unchecked: method,
            url: url,
            header: header,
            body: body,
            options: options,
            isAuthenticated: header.contains(.authorization)
        )
        try validate()
    }

    /// - Parameter endpoint: The endpoint of the definition, for ``template``.
    package init(
        unchecked method: HTTPMethod,
        url: RequestURL,
        header: Header,
        body: RequestBody,
        options: CallOptions,
        endpoint: Endpoint? = nil,
        isAuthenticated: Bool
    ) {
        storage = Storage(
            Parts(
                method: method,
                url: url,
                header: header,
                body: body,
                options: options,
                endpoint: endpoint,
                isAuthenticated: isAuthenticated
            )
        )
    }

    /// Checks that the request is exactly one request on the wire.
    ///
    /// - Throws: ``RequestError`` if the method or a header name isn't a token, a value contains a control character, a
    ///   media type isn't valid, a framing field contradicts the body, there are two `Host` fields, or a timeout isn't
    ///   positive.
    public func validate() throws(RequestError) {
        try method.validate()
        try header.validate()
        try body.validate()
        try validateFraming()
        try options.timeouts.validate()
    }

    /// Two lengths, or a length and a transfer coding, allow request smuggling (RFC 9112 §6.3).
    private func validateFraming() throws(RequestError) {
        if header.isKnownToBeValid { return }
        if header[values: .host].count > 1 {
            throw RequestError(
                code: .conflictingFraming,
                subject: Field.Name.host.rawValue,
                message: "There are two Host fields. Remove one, or remove both to send the host of the URL."
            )
        }
        var hasLength = false
        for field in header {
            if field.name == .transferEncoding {
                throw RequestError(
                    code: .conflictingFraming,
                    subject: field.name.rawValue,
                    message: "The transport writes Transfer-Encoding. Remove it and use a body without a length."
                )
            }
            guard field.name == .contentLength else { continue }
            guard !hasLength, body.length.map({ String($0) }) == field.value else {
                throw RequestError(
                    code: .conflictingFraming,
                    subject: field.name.rawValue,
                    message: hasLength
                        ? "There are two Content-Length fields. Remove them."
                        : "Content-Length differs from the length of the body (\(body)). Remove the field."
                )
            }
            hasLength = true
        }
    }
}

extension PreparedRequest: Equatable {
    /// Compares the method, the URL, the header, the body and the options.
    public static func == (lhs: PreparedRequest, rhs: PreparedRequest) -> Bool {
        if lhs.storage === rhs.storage { return true }
        return lhs.method == rhs.method && lhs.url == rhs.url && lhs.header == rhs.header && lhs.body == rhs.body
            && lhs.options == rhs.options
    }
}

extension PreparedRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// The method and the URL, with sensitive query values redacted.
    public var description: String { "\(method) \(url)" }

    /// The same as ``description``, because debugger output ends up in logs, too.
    public var debugDescription: String { description }
}
