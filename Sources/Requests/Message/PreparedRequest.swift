/// A request ready to be sent: the message that a transport receives, and nothing else.
///
/// A ``RequestURL`` is always valid. The other parts can be set to anything, so a transport calls ``validate()`` before
/// it sends anything.
public struct PreparedRequest: Sendable {
    /// The method.
    public var method: HTTPMethod

    /// The URL.
    public var url: RequestURL

    /// The header, without the fields that the transport writes (`Host`, `Content-Length`).
    public var header: Header

    /// The body.
    public var body: RequestBody

    /// What the request asks of the transport.
    public var options: RequestOptions

    // Not written with `?`, which would set it to `nil` first and copy the whole request: 3 % of a build.
    /// Receives the events of the exchange. Default: `nil`.
    ///
    /// Runs on the transport's thread and delays all its exchanges, so it should hand the event on and return. Requests
    /// are equal whatever their observers.
    public var observer: Optional<@Sendable (Event) -> Void>

    /// Creates a request.
    ///
    /// - Throws: ``RequestError`` as ``validate()`` does.
    public init(
        method: HTTPMethod = .get,
        url: RequestURL,
        header: Header = .empty,
        body: RequestBody = .none,
        options: RequestOptions = RequestOptions()
    ) throws(RequestError) {
        self.init(unchecked: method, url: url, header: header, body: body, options: options)
        try validate()
    }

    package init(
        unchecked method: HTTPMethod,
        url: RequestURL,
        header: Header,
        body: RequestBody,
        options: RequestOptions,
        observer: (@Sendable (Event) -> Void)? = nil
    ) {
        self.method = method
        self.url = url
        self.header = header
        self.body = body
        self.options = options
        self.observer = observer
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
    /// Compares everything but the observer.
    public static func == (lhs: PreparedRequest, rhs: PreparedRequest) -> Bool {
        lhs.method == rhs.method && lhs.url == rhs.url && lhs.header == rhs.header && lhs.body == rhs.body
            && lhs.options == rhs.options
    }
}

extension PreparedRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// The method and the URL, with sensitive query values redacted.
    public var description: String { "\(method) \(url)" }

    /// The same as ``description``, because debugger output ends up in logs, too.
    public var debugDescription: String { description }
}
