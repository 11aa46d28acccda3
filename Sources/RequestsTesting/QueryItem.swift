/// A decoded query item.
struct QueryItem: Hashable, Sendable {
    let name: String
    /// The value. `nil` if the item has no `=`.
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
    /// Returns the parts before and after the first separator. The second is `nil` if there is none.
    func split(at separator: Character) -> (Substring, Substring?) {
        guard let index = firstIndex(of: separator) else { return (self[...], nil) }
        return (self[..<index], self[self.index(after: index)...])
    }
}
