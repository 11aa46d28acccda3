extension Endpoint {
    /// A path with a query, and how they were written.
    struct Target: Hashable, Sendable {
        var path: String
        var query: String?
        var wording: Wording
    }

    /// How an endpoint was written, which determines its template.
    enum Wording: Sendable {
        /// As a string at run time, which may have any number of values.
        case opaque
        /// As an encoded key, whose slashes are all kept.
        case key
        case literal
        /// With values between marks, or as a URI template.
        case bytes([UInt8])
    }

    /// Stands before and after a value in the bytes of an endpoint. Never a part of UTF-8.
    static let valueMark: UInt8 = 0xFF

    /// Returns bytes as a string without the marks, or with `{}` in the place of each value.
    static func text(of bytes: ArraySlice<UInt8>, asTemplate: Bool = false) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
            var (count, isValue) = (0, false)
            for byte in bytes {
                let isMark = byte == valueMark
                if isMark { isValue.toggle() }
                guard asTemplate ? isMark || !isValue : !isMark else { continue }
                unsafe buffer[count] = isMark ? UInt8(ascii: isValue ? "{" : "}") : byte
                count += 1
            }
            return count
        }
    }
}

extension Endpoint.Target {
    /// Whether slashes at the start of the path and an empty path are part of it.
    var isKey: Bool { if case .key = wording { true } else { false } }

    var template: String? {
        switch wording {
        case .opaque, .key: nil
        case .literal: query.map { "\(path)?\($0)" } ?? path
        case .bytes(let bytes): Endpoint.text(of: bytes[...], asTemplate: true)
        }
    }

    func prefixed(by prefix: Self) -> Self {
        let queries = [prefix.query, query].compactMap(\.self)
        let query = queries.isEmpty ? nil : queries.joined(separator: "&")
        guard !isKey, !prefix.isKey else {
            return Self(path: keyPath(below: prefix), query: query, wording: .key)
        }
        return Self(path: path.joined(to: prefix.path), query: query, wording: wording(prefixedBy: prefix))
    }

    /// The slash after the base URL isn't part of a key, so the joined path doesn't start with it.
    private func keyPath(below prefix: Self) -> String {
        guard isKey || !path.isEmpty else { return prefix.path }
        let first = prefix.isKey ? prefix.path.withoutTrailingSlashes : prefix.path.withoutOuterSlashes
        let rest = isKey ? path : path.withoutLeadingSlashes
        return first.isEmpty ? rest : "\(first)/\(rest)"
    }

    private func wording(prefixedBy prefix: Self) -> Endpoint.Wording {
        if case (.literal, .literal) = (prefix.wording, wording) { return .literal }
        guard let first = prefix.template, let template else { return .opaque }
        let (start, rest) = (first.split(at: "?"), template.split(at: "?"))
        let queries = [start.1, rest.1].compactMap(\.self)
        let path = String(rest.0).joined(to: String(start.0))
        return .bytes(Array((queries.isEmpty ? path : path + "?" + queries.joined(separator: "&")).utf8))
    }

    /// Compares the resulting paths and queries, however they were written.
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.path == rhs.path && lhs.query == rhs.query && lhs.isKey == rhs.isKey
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(query)
    }
}

extension String {
    fileprivate var withoutLeadingSlashes: String { String(drop { $0 == "/" }) }

    fileprivate var withoutTrailingSlashes: String { String(reversed().drop { $0 == "/" }.reversed()) }

    fileprivate var withoutOuterSlashes: String { withoutTrailingSlashes.withoutLeadingSlashes }

    /// Returns the path after a prefix and one slash.
    fileprivate func joined(to prefix: String) -> String {
        isEmpty ? prefix : "\(prefix.withoutTrailingSlashes)/\(withoutLeadingSlashes)"
    }
}
