/// A request ready to be sent: the message, and the options of its call.
///
/// A ``RequestURL`` is always valid. The other parts can be set to anything, so a transport calls ``validate()`` before
/// it sends anything.
public struct PreparedRequest: Sendable {
    /// The parts, which copies share until one of them changes.
    @usableFromInline struct Parts: Sendable {
        @usableFromInline var method: HTTPMethod
        @usableFromInline var url: RequestURL
        @usableFromInline var header: Header
        @usableFromInline var body: RequestBody
        @usableFromInline var options: CallOptions
        var endpoint: Endpoint?
        var doneBy: (@Sendable () -> String)??
    }

    // Policies copy a request often: one reference instead of 264 bytes saves a third of a call's cost.
    @usableFromInline var parts: CopyOnWrite<Parts>

    /// The method.
    @inlinable public var method: HTTPMethod {
        _read { yield parts.value.method }
        _modify { yield &parts.value.method }
    }

    /// The URL.
    @inlinable public var url: RequestURL {
        _read { yield parts.value.url }
        _modify { yield &parts.value.url }
    }

    /// The header, without the fields that the transport writes (`Host`, `Content-Length`).
    @inlinable public var header: Header {
        _read { yield parts.value.header }
        _modify { yield &parts.value.header }
    }

    /// The body.
    @inlinable public var body: RequestBody {
        _read { yield parts.value.body }
        _modify { yield &parts.value.body }
    }

    /// Everything optional about the call.
    @inlinable public var options: CallOptions {
        _read { yield parts.value.options }
        _modify { yield &parts.value.options }
    }

    /// The endpoint with `{}` in the place of each interpolated value, such as `/users/{}/posts`, or the URI template
    /// that it was created from.
    ///
    /// Names the operation in logs, metrics and stubs. `nil` if the endpoint was created with `Endpoint(path:)` or
    /// `Endpoint(key:)`, or the request from a URL, because such names would have as many values as there are URLs.
    /// Not compared.
    public var template: String? { parts.value.endpoint?.template }

    /// Forgets the endpoint, because the request goes to another URL.
    mutating func removeTemplate() { if parts.value.endpoint != nil { parts.value.endpoint = nil } }

    /// The name of the operation: `options.operation`, or else ``template``.
    public var operation: String? { options.operation ?? template }

    /// Whether authentication is done, so that a client adds no credentials. Not compared.
    ///
    /// `true` if the request was built with its own authentication or with `.none`, or has an `Authorization` field.
    public var isAuthenticated: Bool { parts.value.doneBy != nil }

    /// Whose credentials the request has: an `AuthenticationProvider.identity`, which may be unknown. `nil` if
    /// authentication isn't done. A closure, because a digest costs more than the rest of the request, and only a cache
    /// needs it.
    var doneBy: (@Sendable () -> String)?? {
        _read { yield parts.value.doneBy }
        _modify { yield &parts.value.doneBy }
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
        parts = CopyOnWrite(
            Parts(
                method: method,
                url: url,
                header: header,
                body: body,
                options: options,
                endpoint: endpoint,
                doneBy: isAuthenticated ? .some { "" } : nil
            )
        )
    }

    /// Whether the request goes to the same origin as another one.
    package func hasOrigin(of other: PreparedRequest) -> Bool { isIdentical(to: other) || url.hasOrigin(of: other.url) }

    /// Whether the request is an unchanged copy of another one. Faster than comparing them.
    @inlinable package func isIdentical(to other: PreparedRequest) -> Bool { parts.isShared(with: other.parts) }

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
        func conflict(_ name: Field.Name, _ message: String) -> RequestError {
            RequestError(code: .conflictingFraming, subject: name.rawValue, message: message)
        }
        if header[values: .host].count > 1 {
            throw conflict(.host, "There are two Host fields. Remove one, or remove both to send the host of the URL.")
        }
        if let field = header.first(where: { $0.name == .transferEncoding }) {
            let advice = "Remove it and use a body without a length."
            throw conflict(field.name, "The transport writes Transfer-Encoding. \(advice)")
        }
        let lengths = header.filter { $0.name == .contentLength }
        if lengths.count > 1 { throw conflict(lengths[0].name, "There are two Content-Length fields. Remove them.") }
        if let field = lengths.first, field.value != body.length.map({ String($0) }) {
            let reason = "Content-Length differs from the length of the body (\(body))."
            throw conflict(field.name, "\(reason) Remove the field.")
        }
    }
}

extension PreparedRequest: Equatable {
    /// Compares the method, the URL, the header, the body and the options.
    public static func == (lhs: PreparedRequest, rhs: PreparedRequest) -> Bool {
        if lhs.isIdentical(to: rhs) { return true }
        return lhs.method == rhs.method && lhs.url == rhs.url && lhs.header == rhs.header && lhs.body == rhs.body
            && lhs.options == rhs.options
    }
}

extension PreparedRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// The method and the URL, with sensitive query values redacted.
    public var description: String { "\(method) \(url)" }

    /// The same as ``description``, so that a debugger shows no credentials either.
    public var debugDescription: String { description }
}

extension PreparedRequest {
    /// An event of an attempt, for ``CallOptions/observer``.
    ///
    /// A transport reports the events that it knows in this order. URLSession on Linux reports none about connections.
    /// Byte counts are measured on the wire, before a content encoding is decoded.
    ///
    /// Return from the observer quickly: it blocks the transport's thread.
    public enum Event: Sendable {
        /// The host's name was resolved. Not reported for a reused connection.
        case resolved(address: String)
        /// The connection is established or reused. Addresses are `host:port`.
        case connected(local: String, remote: String, isReused: Bool)
        /// The TLS handshake is finished, with a version such as `TLSv1.3`. `nil` if the transport doesn't know it.
        case secured(tlsVersion: String?)
        /// The number of bytes of the request body that were sent. `total` is `nil` if the length is unknown.
        case sent(bytes: Int64, total: Int64?)
        /// The whole request was sent, or the response arrived before that.
        case requestSent
        /// An informational response arrived, such as `103 Early Hints` (RFC 9110 §15.2).
        case informational(ResponseHead)
        /// The head of the response arrived.
        case head(ResponseHead)
        /// The number of bytes of the response body that arrived. `total` is `nil` if the length is unknown.
        case received(bytes: Int64, total: Int64?)
        /// The attempt ended, successfully or not.
        case ended(TransferMetrics)
    }
}

extension PreparedRequest {
    /// Changes the header and the URL as options say that contain the request's own.
    package mutating func apply(_ options: CallOptions) {
        header.fill(for: options.cachePolicy)
        url.hideValues(of: options.sensitiveQueryNames)
    }
}
