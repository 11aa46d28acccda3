import Foundation
import Requests

/// What a route's template asks of a URL.
struct RoutePattern: Sendable {
    enum Segment: Sendable {
        case literal(String)
        case variable
    }

    /// The template without its query, as it was written.
    let path: String
    let origin: RequestURL.Origin?
    let segments: [Segment]
    let items: [QueryItem]
    /// Why there is no URL that could match; `nil` where there is one.
    let fault: String?

    init(_ template: String) {
        let (address, query) = template.split(at: "?")
        path = String(address)
        items = query.map(QueryItem.items) ?? []
        var rest = address
        var fault: String?
        if let scheme = address.range(of: "://") {
            rest = address[scheme.upperBound...].drop { $0 != "/" }
            origin = try? RequestURL(String(address[..<rest.startIndex])).origin
            if origin == nil { fault = "does not start with an origin" }
        } else {
            origin = nil
        }
        segments = PathSegment.all(of: rest).map { text in
            let name = text.dropFirst().dropLast()
            if text.hasPrefix("{"), text.hasSuffix("}"), !name.isEmpty, name.allSatisfy(\.isName) { return .variable }
            if text.contains(where: { "{}".contains($0) }) {
                fault = "has an expression that is not {name} for a whole segment"
            }
            return .literal(PathSegment.decoded(text))
        }
        self.fault = fault
    }
}

/// The parts of a path between its slashes.
enum PathSegment {
    /// The segments as they are written; one empty one for the root.
    static func all(of path: Substring) -> [String] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return path.hasPrefix("/") ? Array(segments.dropFirst()) : segments
    }

    /// The segment with its escapes undone; as it is, where they are not UTF-8.
    static func decoded(_ segment: String) -> String {
        segment.removingPercentEncoding ?? segment
    }
}

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

extension Character {
    fileprivate var isName: Bool { isLetter || isNumber || self == "_" || self == "." }
}
