import Foundation

extension Endpoint {
    /// What an endpoint has beside its path.
    package indirect enum Supplement: Hashable, Sendable {
        /// A query, encoded and without `?`, after that of the base URL.
        case query(String)
        /// Another URL in the place of the base URL.
        case absolute(String, OriginRule)
        /// A URL that is all of it.
        case built(RequestURL)
    }

    /// Whether a link may lead away from an API.
    public enum OriginRule: Hashable, Sendable {
        /// Scheme, host and port have to be those of the base URL: the request's credentials are for them.
        case same
        /// The link may lead anywhere, and the request with all its credentials goes there.
        case any
    }

    /// Creates an endpoint of a URI template.
    ///
    /// ```swift
    /// let users = try Endpoint(template: "/users/{id}{?page,tags*}", ["id": 7, "tags": ["a", "b"]])
    /// ```
    ///
    /// The path is below the base URL, its `.` and `..` segments make the build throw; a query comes after the base
    /// URL's and before the request's own items.
    ///
    /// - Throws: ``URITemplateError`` when the template cannot be read, does not fit its values, or has a fragment,
    ///   which is never sent.
    ///
    /// Specification: RFC 6570.
    public init(template: String, _ variables: URITemplate.Variables = [:]) throws(URITemplateError) {
        let text = try URITemplate(template).expanded(with: variables)
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            throw URITemplateError(template, "gives a fragment, which is no part of a request")
        }
        let query = text.firstIndex(of: "?")
        self.init(path: String(text[..<(query ?? text.endIndex)]))
        if let query { supplement = .query(String(text[text.index(after: query)...])) }
    }

    /// Creates an endpoint of a URL that came from a server: the next page, or what was made.
    ///
    /// ```swift
    /// let next = api.get(json: Page.self, from: Endpoint(absolute: page.next, origin: .same))
    /// ```
    ///
    /// The request goes to that URL, query included, whatever the base URL's path; its fragment is left out. The
    /// request's own query items come after.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL. Another makes the build throw.
    ///   - origin: Whether it may lead away from the API; with ``OriginRule/same`` one that does makes the build throw
    ///     ``InvalidRequestURLError/Code/otherOrigin``.
    public init(absolute url: URL, origin: OriginRule) {
        self.init(path: url.path(percentEncoded: true))
        supplement = .absolute(url.absoluteString, origin)
    }

    /// Creates an endpoint that is a whole URL, whatever the base URL.
    init(built url: RequestURL) {
        self.init(path: url.path)
        supplement = .built(url)
    }
}
