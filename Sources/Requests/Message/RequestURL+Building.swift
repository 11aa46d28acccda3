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
        try PathSegments.check(path[...].utf8)

        var layout = base.layout
        var bytes: [UInt8] = []
        bytes.reserveCapacity(base.text.utf8.count + path.utf8.count + 64 + query.count * 24)
        append(base.text, 0..<layout.pathEnd, to: &bytes)
        appendPath(path, to: &bytes)
        let pathEnd = bytes.count
        append(base.text, layout.pathEnd..<layout.targetEnd, to: &bytes)
        if let ownQuery { appendQuery(ownQuery, to: &bytes, after: bytes.count - pathEnd) }
        appendQuery(query, to: &bytes, after: bytes.count - pathEnd)
        (layout.pathEnd, layout.targetEnd) = (UInt32(clamping: pathEnd), UInt32(clamping: bytes.count))
        return RequestURL(text: String(decoding: bytes, as: UTF8.self), layout: layout)
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

    private static func append(_ text: String, _ range: Range<UInt32>, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { text in
            let part = text[Int(range.lowerBound)..<Int(range.upperBound)]
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: part))
        }
    }

    /// Joins an endpoint's path to the path that there is with one slash.
    private static func appendPath(_ path: String, to bytes: inout [UInt8]) {
        let slash = UInt8(ascii: "/")
        guard !path.isEmpty else { return }
        while bytes.last == slash { bytes.removeLast() }
        bytes.append(slash)
        PercentEncoding.appendEncoded(path.utf8.drop { $0 == slash }, keeping: PercentEncoding.path, to: &bytes)
    }

    /// - Parameter length: How much of a query there is already, its `?` counted.
    private static func appendQuery(_ query: String, to bytes: inout [UInt8], after length: Int) {
        if length != 1 { bytes.append(length == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&")) }
        PercentEncoding.appendEncoded(query.utf8, keeping: PercentEncoding.query, to: &bytes)
    }

    /// - Parameter length: How much of a query there is already, its `?` counted.
    private static func appendQuery(_ items: [URLQueryItem], to bytes: inout [UInt8], after length: Int) {
        var isFirst = length == 0
        var needsSeparator = length != 1
        for item in items {
            if needsSeparator { bytes.append(isFirst ? UInt8(ascii: "?") : UInt8(ascii: "&")) }
            (isFirst, needsSeparator) = (false, true)
            PercentEncoding.append(item.name, keeping: PercentEncoding.unreserved, to: &bytes)
            guard let value = item.value else { continue }
            bytes.append(UInt8(ascii: "="))
            PercentEncoding.append(value, keeping: PercentEncoding.unreserved, to: &bytes)
        }
    }
}
