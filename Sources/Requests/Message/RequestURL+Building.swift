import Foundation

extension RequestURL {
    /// Builds the URL of an endpoint below a base URL.
    ///
    /// The endpoint's path follows the base's path, joined with one `/`; an empty endpoint leaves it as it is. The
    /// base's query comes first, then `query`.
    ///
    /// - Throws: What is wrong with which part.
    static func building(
        _ endpoint: Endpoint,
        below baseURL: URL,
        query: [URLQueryItem]
    ) throws(InvalidRequestURLError) -> RequestURL {
        if let failure = endpoint.failure { throw failure }
        let (base, path, ownQuery) = try start(of: endpoint, baseURL)
        try PathSegments.check(path)

        var layout = base.layout
        // What is encoded grows to three times its length, and each item brings two delimiters.
        let growing = query.reduce(path.utf8.count + (ownQuery?.utf8.count ?? 0)) { length, item in
            length + 1 + item.name.utf8.count + (item.value?.utf8.count ?? 0)
        }
        let text = TextWriter.text(capacity: base.text.utf8.count + 3 * growing + 2) { text in
            text.append(base.text, 0..<layout.pathEnd)
            append(path: path, to: &text)
            let pathEnd = text.count
            text.append(base.text, layout.pathEnd..<layout.targetEnd)
            if let ownQuery { append(query: ownQuery, to: &text, after: text.count - pathEnd) }
            append(query: query, to: &text, after: text.count - pathEnd)
            (layout.pathEnd, layout.targetEnd) = (UInt32(clamping: pathEnd), UInt32(clamping: text.count))
        }
        return RequestURL(text: text, layout: layout)
    }

    /// The URL that an endpoint starts from: the base URL, or the one that a link leads to.
    private static func start(
        of endpoint: Endpoint,
        _ baseURL: URL
    ) throws(InvalidRequestURLError) -> (url: RequestURL, path: String, query: String?) {
        switch endpoint.supplement {
        case nil: return (try BaseURLs.parsed(baseURL), endpoint.path, nil)
        case .query(let query): return (try BaseURLs.parsed(baseURL), endpoint.path, query)
        case .absolute(let text, let rule):
            let url = try RequestURL(text)
            let base = try BaseURLs.parsed(baseURL)
            guard rule == .any || url.origin == base.origin else {
                throw InvalidRequestURLError(
                    code: .otherOrigin,
                    culprit: "\(url.origin)",
                    message: "the link leads to \(url.origin), away from \(base.origin); follow it without the API's "
                        + "credentials, or with origin: .any"
                )
            }
            return (url, "", nil)
        }
    }

    /// Joins an endpoint's path to the path that there is with one slash.
    private static func append(path: String, to text: inout TextWriter) {
        let slash = UInt8(ascii: "/")
        guard !path.isEmpty else { return }
        text.removeLast(while: slash)
        text.append(slash)
        var path = path
        path.withUTF8 { path in
            let relative = UnsafeBufferPointer(rebasing: path.drop { $0 == slash })
            text.append(relative, keeping: PercentEncoding.path, keepsEscapes: true)
        }
    }

    /// - Parameter length: How much of a query there is already, its `?` counted.
    private static func append(query: String, to text: inout TextWriter, after length: Int) {
        if length != 1 { text.append(length == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&")) }
        var query = query
        query.withUTF8 { text.append($0, keeping: PercentEncoding.query, keepsEscapes: true) }
    }

    /// - Parameter length: How much of a query there is already, its `?` counted.
    private static func append(query items: [URLQueryItem], to text: inout TextWriter, after length: Int) {
        var isFirst = length == 0
        var needsSeparator = length != 1
        for item in items {
            if needsSeparator { text.append(isFirst ? UInt8(ascii: "?") : UInt8(ascii: "&")) }
            (isFirst, needsSeparator) = (false, true)
            var name = item.name
            name.withUTF8 { text.append($0, keeping: PercentEncoding.unreserved, keepsEscapes: false) }
            guard var value = item.value else { continue }
            text.append(UInt8(ascii: "="))
            value.withUTF8 { text.append($0, keeping: PercentEncoding.unreserved, keepsEscapes: false) }
        }
    }
}
