extension RequestURL {
    /// Builds the URL of an endpoint below a base URL.
    ///
    /// The endpoint's path follows the base URL's path, joined with one `/`. An empty endpoint leaves it unchanged. The
    /// base URL's query comes first, then the endpoint's, then `query`.
    ///
    /// - Parameter sensitiveNames: The names of further query items whose values are redacted.
    /// - Throws: ``RequestError`` naming the part that is wrong.
    static func building(
        _ endpoint: Endpoint,
        below baseURL: URL,
        query: [URLQueryItem],
        redacting sensitiveNames: Set<String>
    ) throws(RequestError) -> RequestURL {
        let (url, target): (RequestURL, Endpoint.Target)
        switch endpoint.form {
        case .invalid(let error, _): throw error
        case .literalURL(let origin, let target): throw .absoluteEndpoint(origin + target.path)
        case .relative(let relative): (url, target) = (try RequestURL(baseURL.absoluteString), relative)
        case .link(let link, let rule):
            let base = try RequestURL(baseURL.absoluteString)
            (url, target) = (try RequestURL(link), Endpoint.Target(path: "", wording: .opaque))
            guard rule == .any || url.origin == base.origin else { throw .otherOrigin(url.origin, base.origin) }
        }
        return try url.appending(target, query, redacting: sensitiveNames)
    }

    private func appending(
        _ target: Endpoint.Target,
        _ query: [URLQueryItem],
        redacting sensitiveNames: Set<String>
    ) throws(RequestError) -> RequestURL {
        try PathSegments.check(target.path)
        var built = layout
        let text = text.withBytes { base in
            TextWriter.text { text in
                unsafe text.append(base[..<Int(layout.pathEnd)])
                RequestURL.append(path: target.path, isKey: target.isKey, to: &text)
                let pathEnd = text.count
                if layout.pathEnd < layout.targetEnd {
                    unsafe text.append(base[Int(layout.pathEnd)..<Int(layout.targetEnd)])
                }
                let length = text.count - pathEnd
                if let query = target.query { RequestURL.append(query: query, to: &text, after: length) }
                RequestURL.append(query: query, to: &text, after: text.count - pathEnd)
                (built.pathEnd, built.targetEnd) = (UInt32(clamping: pathEnd), UInt32(clamping: text.count))
            }
        }
        return RequestURL(text: text, layout: built, sensitiveNames: sensitiveNames)
    }

    /// Appends an endpoint's path to the base path, joined with one slash.
    private static func append(path: String, isKey: Bool, to text: inout TextWriter) {
        let slash = UInt8(ascii: "/")
        guard isKey || !path.isEmpty else { return }
        text.removeLast(while: slash)
        text.append(slash)
        path.withBytes { path in
            let relative = unsafe UnsafeBufferPointer(rebasing: path.drop { !isKey && $0 == slash })
            unsafe text.append(relative, keeping: PercentEncoding.path, keepsEscapes: true)
        }
    }

    /// - Parameter length: The length of the query so far, including its `?`.
    private static func append(query: String, to text: inout TextWriter, after length: Int) {
        if length != 1 { text.append(length == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&")) }
        query.withBytes { unsafe text.append($0, keeping: PercentEncoding.query, keepsEscapes: true) }
    }

    /// - Parameter length: The length of the query so far, including its `?`.
    private static func append(query items: [URLQueryItem], to text: inout TextWriter, after length: Int) {
        let allowed = PercentEncoding.unreserved
        var isFirst = length == 0
        var needsSeparator = length != 1
        // By index, because iterating would copy the items.
        for index in items.indices {
            if needsSeparator { text.append(isFirst ? UInt8(ascii: "?") : UInt8(ascii: "&")) }
            (isFirst, needsSeparator) = (false, true)
            items[index].name.withBytes { unsafe text.append($0, keeping: allowed, keepsEscapes: false) }
            guard let value = items[index].value else { continue }
            text.append(UInt8(ascii: "="))
            value.withBytes { unsafe text.append($0, keeping: allowed, keepsEscapes: false) }
        }
    }
}

extension RequestError {
    fileprivate static func otherOrigin(_ origin: RequestURL.Origin, _ base: RequestURL.Origin) -> RequestError {
        RequestError(
            code: .otherOrigin,
            subject: "\(origin)",
            message: "The link leads to \(origin), but the API is at \(base). Write origin: .any to follow it with the "
                + "API's credentials, or request it without the API."
        )
    }
}

extension URL {
    /// Creates a URL from a literal.
    ///
    /// ```swift
    /// let baseURL = URL("https://api.example.com")
    /// ```
    ///
    /// If the literal isn't a valid URL, building a request with it throws ``RequestError``.
    public init(_ literal: StaticString) {
        let text = literal.description
        // Encoding an invalid literal keeps its text for the error.
        let encoded = PercentEncoding.encoded(text, keeping: PercentEncoding.urlLiteral)
        self = URL(string: text) ?? URL(string: encoded) ?? URL(string: "./\(encoded)") ?? URL(filePath: "")
    }
}
