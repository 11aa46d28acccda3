import HTTPTypes
import Requests

extension PreparedRequest {
    /// Returns the request as an `HTTPRequest`, which has no body and no options.
    ///
    /// A `Host` field replaces the URL's authority. The order of fields and repeated names are kept, and sensitive
    /// fields get the indexing strategy `disallow`. The URL's fragment is omitted.
    ///
    /// - Throws: The errors of ``validate()``, because `HTTPField` would replace control characters with spaces.
    ///   `RequestError` if the method isn't supported or the `Host` field isn't a host.
    public func httpRequest() throws(RequestError) -> HTTPRequest {
        try validate()
        guard let method = HTTPRequest.Method(method.rawValue) else {
            throw .unsupportedRequest("method", "HTTPRequest doesn't support the method \(method).")
        }
        let authority = try header[.host].map { host throws(RequestError) in
            try RequestURL.root(scheme: url.scheme, authority: host).authority
        }
        var header = header
        header.remove(.host)
        return HTTPRequest(
            method: method,
            scheme: url.scheme,
            authority: authority ?? url.authority,
            path: url.target,
            headerFields: try header.httpFields()
        )
    }

    /// Creates a request from an `HTTPRequest`.
    ///
    /// The order of fields and repeated names are kept, except that several `Cookie` fields are joined (RFC 9113
    /// §8.2.3). Fields with the indexing strategy `disallow` become sensitive. A missing authority is taken from the
    /// `Host` field. Characters that a URL doesn't allow are percent-encoded in the path.
    ///
    /// - Parameters:
    ///   - request: The request. Its scheme must be `http` or `https`.
    ///   - body: The body. Default: none.
    ///   - options: The options of the call. Default: none set.
    /// - Throws: `RequestError` that names the part that is missing, invalid, or can't be sent unchanged.
    public init(
        _ request: HTTPRequest,
        body: RequestBody = .none,
        options: CallOptions = CallOptions()
    ) throws(RequestError) {
        guard request.extendedConnectProtocol == nil else {
            throw .unsupportedRequest("protocol", "Tunnels aren't supported. Remove the protocol of the HTTPRequest.")
        }
        var header = try Header(request.headerFields)
        let hosts = header[values: .host]
        header.remove(.host)
        header.joinCookies()
        try self.init(
            method: HTTPMethod(rawValue: request.method.rawValue),
            url: try RequestURL(request, hosts: hosts),
            header: header,
            body: body,
            options: options
        )
    }
}

extension RequestConvertible {
    /// Builds the request and returns it as an `HTTPRequest`, which has no body and no options.
    ///
    /// - Throws: The errors of `prepared()` and of `PreparedRequest.httpRequest()`.
    public func httpRequest() throws -> HTTPRequest {
        try prepared().httpRequest()
    }
}

extension Header {
    /// Joins several `Cookie` fields, because HTTP/1.1 allows only one.
    fileprivate mutating func joinCookies() {
        guard self[values: .cookie].count > 1, let joined = self[.cookie] else { return }
        self[.cookie] = joined
    }
}

extension RequestURL {
    /// - Parameter hosts: The values of the `Host` fields.
    fileprivate init(_ request: HTTPRequest, hosts: [String]) throws(RequestError) {
        let parts = request.pseudoHeaderFields
        let scheme = try RequestURL.text(of: parts.scheme) ?? ""
        let authority = try RequestURL.text(of: parts.authority)
        let root = try RequestURL.root(scheme: scheme, authority: authority ?? hosts.first ?? "")
        for host in hosts where try RequestURL.root(scheme: scheme, authority: host).origin != root.origin {
            throw .unsupportedRequest("Host", "A Host field differs from the authority \(root.authority). Remove it.")
        }
        guard let path = try RequestURL.text(of: parts.path) else { throw .invalidPath("is missing") }
        guard path.utf8.first == UInt8(ascii: "/") else { throw .invalidPath("doesn't start with a slash") }
        guard !path.utf8.contains(UInt8(ascii: "#")) else { throw .invalidPath("contains a fragment") }
        try self.init(root.text + path)
    }

    /// Returns the URL of a scheme and an authority without a path.
    ///
    /// Throws if they contain more than that, such as a path, so that they can't change other parts of the URL.
    fileprivate static func root(scheme: String, authority: String) throws(RequestError) -> RequestURL {
        let root = try RequestURL("\(scheme)://\(authority)")
        guard root.text.utf8.elementsEqual("\(root.scheme)://\(root.authority)".utf8) else {
            throw RequestError(
                code: .invalidHost,
                subject: "authority",
                message: "The authority contains more than a host and a port. Remove the rest."
            )
        }
        return root
    }

    private static func text(of field: HTTPField?) throws(RequestError) -> String? {
        guard let field else { return nil }
        guard let text = field.text else { throw .notUTF8(field.name.rawName) }
        return text
    }
}
