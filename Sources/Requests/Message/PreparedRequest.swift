/// A request ready to be sent: what a transport receives.
///
/// A ``RequestURL`` is valid by construction. The other parts can be set to anything, so transports call
/// ``validate()`` first and send nothing that does not pass.
public struct PreparedRequest: Sendable {
    /// The method.
    public var method: HTTPMethod

    /// The URL.
    public var url: RequestURL

    /// The header, without the fields that a transport writes itself (`Host`, `Content-Length`).
    public var header: Header

    /// The body.
    public var body: RequestBody

    /// What is asked of the transport.
    public var options: RequestOptions

    // Written out: with `?` it would be `nil` first in each request that is made, which costs a copy of the whole.
    /// Is told what happens to the exchange: progress, and what it takes; `nil`, the default, for nobody.
    ///
    /// It runs on the transport's thread and holds up all its exchanges: it hands on what it is told, and returns.
    /// It is no part of the request: requests with and without are equal.
    public var observer: Optional<@Sendable (TransportEvent) -> Void>

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

    init(
        unchecked method: HTTPMethod,
        url: RequestURL,
        header: Header,
        body: RequestBody,
        options: RequestOptions,
        observer: (@Sendable (TransportEvent) -> Void)? = nil
    ) {
        self.method = method
        self.url = url
        self.header = header
        self.body = body
        self.options = options
        self.observer = observer
    }

    /// Checks that the request is one request and nothing else on the wire.
    ///
    /// - Throws: ``RequestError``: a method or a field's name is not a token, a value contains a line break or NUL, a
    ///   framing field contradicts the body, there are two hosts, a timeout is not positive.
    public func validate() throws(RequestError) {
        try method.validate()
        try header.validate()
        try body.validate()
        try validateFraming()
        try options.timeouts.validate()
    }

    /// Two lengths, or a length and a coding, are what request smuggling is made of (RFC 9112 §6.3).
    private func validateFraming() throws(RequestError) {
        if header.isKnownToBeValid { return }
        if header[values: .host].count > 1 {
            throw RequestError(
                code: .conflictingFraming,
                culprit: Field.Name.host.rawValue,
                message: "there are two Host fields; remove one, or both for the host of the URL"
            )
        }
        var hasLength = false
        for field in header {
            if field.name == .transferEncoding {
                throw RequestError(
                    code: .conflictingFraming,
                    culprit: field.name.rawValue,
                    message: "Transfer-Encoding belongs to the transport; remove it and give the body no length"
                )
            }
            guard field.name == .contentLength else { continue }
            guard !hasLength, body.length.map({ String($0) }) == field.value else {
                throw RequestError(
                    code: .conflictingFraming,
                    culprit: field.name.rawValue,
                    message: hasLength
                        ? "there are two Content-Length fields; remove them"
                        : "Content-Length differs from the length of the body (\(body)); remove the field"
                )
            }
            hasLength = true
        }
    }
}

extension PreparedRequest: Equatable {
    /// Compares all but the observer.
    ///
    /// Builds of one request are equal. Two requests of the same multipart body are not, for their boundaries:
    /// ``difference(from:)`` leaves these out.
    public static func == (lhs: PreparedRequest, rhs: PreparedRequest) -> Bool {
        lhs.method == rhs.method && lhs.url == rhs.url && lhs.header == rhs.header && lhs.body == rhs.body
            && lhs.options == rhs.options
    }
}

extension PreparedRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// Method and URL, sensitive query values hidden.
    public var description: String { "\(method) \(url)" }

    /// The same as ``description``: a debugger's output ends up in logs too.
    public var debugDescription: String { description }
}
