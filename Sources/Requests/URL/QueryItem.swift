/// A decoded query item.
package struct QueryItem: Hashable, Sendable {
    package let name: String
    /// The value. `nil` if the item has no `=`.
    package let value: String?

    package static func items(of query: Substring) -> [QueryItem] {
        query.split(separator: "&").map { item in
            let (name, value) = String(item).split(at: "=")
            return QueryItem(
                name: PathSegment.decoded(String(name)),
                value: value.map { PathSegment.decoded(String($0)) }
            )
        }
    }
}

/// The segments of a path.
package enum PathSegment {
    /// Returns the segments, still percent-encoded. The root has one empty segment.
    package static func all(of path: Substring) -> [String] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return path.hasPrefix("/") ? Array(segments.dropFirst()) : segments
    }

    /// Returns the percent-decoded segment, or the segment itself if it doesn't decode to UTF-8.
    package static func decoded(_ segment: String) -> String {
        String(validating: PercentEncoding.decodedBytes(segment), as: UTF8.self) ?? segment
    }
}

extension String {
    /// Returns the parts before and after the first separator. The second is `nil` if there is none.
    package func split(at separator: Character) -> (Substring, Substring?) {
        guard let index = firstIndex(of: separator) else { return (self[...], nil) }
        return (self[..<index], self[self.index(after: index)...])
    }
}
