import Requests

/// The canonical text of a request, which a signature covers.
struct AWSCanonicalRequest {
    let text: String

    /// The fields that aren't signed, because a transport or a proxy may add, change or remove them.
    private static let unsignedNames: Set<Field.Name> = [
        .authorization, "Connection", .contentLength, "Expect", "Proxy-Authorization", "TE", .transferEncoding,
        "Upgrade", .userAgent, "X-Amzn-Trace-Id", "traceparent", "tracestate",
    ]

    /// Returns the fields that a signature of the whole header covers, including `Host`.
    static func signedFields(of request: PreparedRequest) -> Header {
        var fields = Header(request.header.filter { !unsignedNames.contains($0.name) })
        if !fields.contains(.host) { fields.set(Field(name: .host, value: request.url.hostField)) }
        return fields
    }

    /// Returns the names of fields in lowercase, without repetitions and sorted.
    static func names(of fields: Header) -> [String] {
        Set(fields.map { ASCII.lowercased($0.name.rawValue) }).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// - Parameter fields: The fields to sign, including `Host`.
    init(_ request: PreparedRequest, fields: Header, isEncodedOnce: Bool, payload: String) {
        let names = AWSCanonicalRequest.names(of: fields)
        let lines = names.map { name in
            "\(name):\(fields[values: Field.Name(name)].map(\.collapsingSpaces).joined(separator: ","))\n"
        }
        text = """
            \(request.method)
            \(AWSCanonicalRequest.path(of: request.url, isEncodedOnce: isEncodedOnce))
            \(AWSCanonicalRequest.query(of: request.url))
            \(lines.joined())
            \(names.joined(separator: ";"))
            \(payload)
            """
    }

    /// Returns the path. S3 encodes the decoded path once. All other services encode the path as it is sent, so `:`
    /// becomes `%3A` and `%3A` becomes `%253A`, and remove empty segments.
    private static func path(of url: RequestURL, isEncodedOnce: Bool) -> String {
        guard !url.path.isEmpty else { return "/" }
        let segments = url.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if isEncodedOnce {
            return "/" + segments.map { reencoded($0) }.joined(separator: "/")
        }
        var kept = segments.filter { !$0.isEmpty }
        if segments.last?.isEmpty == true { kept.append("") }
        let path = kept.map { PercentEncoding.encoded(String($0)) }.joined(separator: "/")
        return "/" + path
    }

    /// Returns the query with its items sorted by name and value.
    private static func query(of url: RequestURL) -> String {
        let items = (url.query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { reencoded($0) }
            return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        return
            items
            .sorted { left, right in
                left.name == right.name
                    ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
                    : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
            }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    /// Returns the text with everything but unreserved characters encoded.
    private static func reencoded(_ text: Substring) -> String {
        PercentEncoding.encoded(PercentEncoding.decodedBytes(String(text)))
    }
}

extension RequestURL {
    /// The value of `Host`, without the default port.
    var hostField: String { String(origin.description.dropFirst(scheme.utf8.count + 3)) }
}

extension String {
    /// The string without leading and trailing spaces, and with one space for each run of spaces.
    fileprivate var collapsingSpaces: String { split(separator: " ").joined(separator: " ") }
}
