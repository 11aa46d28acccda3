import Foundation
import Requests

/// The parsed template of a route.
struct RoutePattern: Sendable {
    enum Segment: Sendable {
        case literal(String)
        case variable
    }

    /// The template without its query.
    let path: String
    let origin: RequestURL.Origin?
    let segments: [Segment]
    let items: [QueryItem]
    /// The reason why the template is invalid, or `nil` if it is valid.
    let invalidReason: String?

    init(_ template: String) {
        let (address, query) = template.split(at: "?")
        path = String(address)
        items = query.map(QueryItem.items) ?? []
        var rest = address
        var invalidReason: String?
        if let scheme = address.range(of: "://") {
            rest = address[scheme.upperBound...].drop { $0 != "/" }
            origin = try? RequestURL(String(address[..<rest.startIndex])).origin
            if origin == nil { invalidReason = "has an invalid origin" }
        } else {
            origin = nil
        }
        segments = PathSegment.all(of: rest).map { text in
            let name = text.dropFirst().dropLast()
            if text.hasPrefix("{"), text.hasSuffix("}"), !name.isEmpty, name.allSatisfy(\.isName) { return .variable }
            if text.contains(where: { "{}".contains($0) }) {
                invalidReason =
                    "is invalid: a {name} expression must be a whole segment, and no other expressions are supported"
            }
            return .literal(PathSegment.decoded(text))
        }
        self.invalidReason = invalidReason
    }
}

extension Character {
    fileprivate var isName: Bool { isLetter || isNumber || self == "_" || self == "." }
}
