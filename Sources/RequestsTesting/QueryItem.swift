/// A name and a value in a query, decoded.
struct QueryItem: Hashable, Sendable {
    let name: String
    /// `nil` where there is no `=`.
    let value: String?

    static func items(of query: Substring) -> [QueryItem] {
        query.split(separator: "&").map { item in
            let (name, value) = String(item).split(at: "=")
            return QueryItem(
                name: PathSegment.decoded(String(name)),
                value: value.map { PathSegment.decoded(String($0)) }
            )
        }
    }
}

extension String {
    /// The text before and after the first such character; `nil` where it is not in the text.
    func split(at separator: Character) -> (Substring, Substring?) {
        guard let index = firstIndex(of: separator) else { return (self[...], nil) }
        return (self[..<index], self[self.index(after: index)...])
    }
}
