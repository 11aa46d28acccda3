/// How an endpoint was written, which determines its template.
extension Endpoint {
    enum Wording: Sendable {
        /// As a string at run time, which may have any number of values.
        case opaque
        case literal
        /// With values between marks, or as a URI template.
        case bytes([UInt8])
    }

    /// Stands before and after a value in the bytes of an endpoint. Never a part of UTF-8.
    static let valueMark: UInt8 = 0xFF

    /// The endpoint with `{}` in the place of each interpolated value, or its URI template as written. `nil` if it was
    /// created from a string at run time.
    public var template: String? {
        switch wording {
        case .opaque: nil
        case .literal: query.map { "\(path)?\($0)" } ?? path
        case .bytes(let bytes): Endpoint.template(of: bytes)
        }
    }

    private static func template(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var isValue = false
        for byte in bytes {
            if byte == valueMark {
                isValue.toggle()
                if isValue { text += Array("{}".utf8) }
            } else if !isValue {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the wording after a prefix.
    func wording(prefixedBy prefix: Endpoint) -> Wording {
        if case (.literal, .literal) = (prefix.wording, wording) { return .literal }
        guard let first = prefix.template, let template else { return .opaque }
        let (start, rest) = (first.splitAtQuery, template.splitAtQuery)
        let queries = [start.query, rest.query].compactMap(\.self)
        let path = rest.path.joined(to: start.path)
        return .bytes(Array((queries.isEmpty ? path : path + "?" + queries.joined(separator: "&")).utf8))
    }
}

extension String {
    var withoutLeadingSlashes: String { String(drop { $0 == "/" }) }

    var withoutTrailingSlashes: String { String(reversed().drop { $0 == "/" }.reversed()) }

    var withoutOuterSlashes: String { withoutTrailingSlashes.withoutLeadingSlashes }

    /// Returns the path after a prefix and one slash.
    func joined(to prefix: String) -> String {
        isEmpty ? prefix : "\(prefix.withoutTrailingSlashes)/\(withoutLeadingSlashes)"
    }

    var splitAtQuery: (path: String, query: String?) {
        let parts = split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        return (parts[0], parts.count == 1 ? nil : parts[1])
    }
}
