import Foundation

extension RequestURL {
    /// Builds the URL of an endpoint below a base URL.
    ///
    /// The endpoint's path follows the base's path, joined with one `/`; an empty endpoint leaves it as it is. The
    /// base's query comes first, then `query`.
    ///
    /// - Parameter sensitiveNames: The names of query items whose values are hidden beyond those that always are.
    /// - Throws: What is wrong with which part.
    static func building(
        _ endpoint: Endpoint,
        below baseURL: URL,
        query: [URLQueryItem],
        hiding sensitiveNames: Set<String>
    ) throws(InvalidRequestURLError) -> RequestURL {
        if let failure = endpoint.failure { throw failure }
        return switch endpoint.supplement {
        case nil:
            try BaseURLs.parsed(baseURL).appending(path: endpoint.path, nil, query, hiding: sensitiveNames)
        case .query(let ownQuery):
            try BaseURLs.parsed(baseURL).appending(path: endpoint.path, ownQuery, query, hiding: sensitiveNames)
        case .built(let url): url.hidingAlso(sensitiveNames)
        case .absolute(let text, let rule):
            try link(text, rule, from: baseURL).appending(path: "", nil, query, hiding: sensitiveNames)
        }
    }

    private static func link(
        _ text: String,
        _ rule: Endpoint.OriginRule,
        from baseURL: URL
    ) throws(InvalidRequestURLError) -> RequestURL {
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
        return url
    }

    private func appending(
        path: String,
        _ ownQuery: String?,
        _ query: [URLQueryItem],
        hiding sensitiveNames: Set<String>
    ) throws(InvalidRequestURLError) -> RequestURL {
        try PathSegments.check(path)
        var built = layout
        let text = text.withBytes { base in
            TextWriter.text { text in
                text.append(base[..<Int(layout.pathEnd)])
                RequestURL.append(path: path, to: &text)
                let pathEnd = text.count
                if layout.pathEnd < layout.targetEnd { text.append(base[Int(layout.pathEnd)..<Int(layout.targetEnd)]) }
                if let ownQuery { RequestURL.append(query: ownQuery, to: &text, after: text.count - pathEnd) }
                RequestURL.append(query: query, to: &text, after: text.count - pathEnd)
                (built.pathEnd, built.targetEnd) = (UInt32(clamping: pathEnd), UInt32(clamping: text.count))
            }
        }
        return RequestURL(text: text, layout: built, sensitiveNames: sensitiveNames)
    }

    /// Joins an endpoint's path to the path that there is with one slash.
    private static func append(path: String, to text: inout TextWriter) {
        let slash = UInt8(ascii: "/")
        guard !path.isEmpty else { return }
        text.removeLast(while: slash)
        text.append(slash)
        path.withBytes { path in
            let relative = UnsafeBufferPointer(rebasing: path.drop { $0 == slash })
            text.append(relative, keeping: PercentEncoding.path, keepsEscapes: true)
        }
    }

    /// - Parameter length: How much of a query there is already, its `?` counted.
    private static func append(query: String, to text: inout TextWriter, after length: Int) {
        if length != 1 { text.append(length == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&")) }
        query.withBytes { text.append($0, keeping: PercentEncoding.query, keepsEscapes: true) }
    }

    /// - Parameter length: How much of a query there is already, its `?` counted.
    private static func append(query items: [URLQueryItem], to text: inout TextWriter, after length: Int) {
        let allowed = PercentEncoding.unreserved
        var isFirst = length == 0
        var needsSeparator = length != 1
        // By index: an item of its own would be a copy.
        for index in items.indices {
            if needsSeparator { text.append(isFirst ? UInt8(ascii: "?") : UInt8(ascii: "&")) }
            (isFirst, needsSeparator) = (false, true)
            items[index].name.withBytes { text.append($0, keeping: allowed, keepsEscapes: false) }
            guard let value = items[index].value else { continue }
            text.append(UInt8(ascii: "="))
            value.withBytes { text.append($0, keeping: allowed, keepsEscapes: false) }
        }
    }
}
