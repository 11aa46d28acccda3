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

extension Character {
    fileprivate var isName: Bool { isLetter || isNumber || self == "_" || self == "." }
}
