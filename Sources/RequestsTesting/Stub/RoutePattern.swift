import Requests

/// The parsed template of a route.
struct RoutePattern: Sendable {
    enum Segment: Equatable, Sendable {
        case literal(String)
        case variable(String)
        /// `*`, which matches one segment.
        case any
        /// `**`, which matches any number of segments.
        case rest
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
        if let scheme = address.firstRange(of: "://") {
            rest = address[scheme.upperBound...].drop { $0 != "/" }
            origin = RequestURL.origin(String(address[..<rest.startIndex]))
            if origin == nil { invalidReason = "has an invalid origin" }
        } else {
            origin = nil
        }
        segments = PathSegment.all(of: rest).map { text in
            let segment = Segment(text)
            if segment == nil {
                invalidReason =
                    "is invalid: {name}, * and ** must be whole segments, and no other expressions are supported"
            }
            return segment ?? .literal(text)
        }
        self.invalidReason = invalidReason
    }

    /// Returns the values of the variables by name, or `nil` if the path doesn't match.
    ///
    /// Backtracks only to the last `**`, so it takes quadratic time at most.
    ///
    /// - Parameter path: The decoded segments of the request's path.
    func captures(from path: [String]) -> [String: String]? {
        var captures: [(String, String)] = []
        var (next, position) = (0, 0)
        var restart: (segment: Int, position: Int, captures: Int)?
        while position < path.count {
            if next < segments.count, segments[next] == .rest {
                next += 1
                restart = (next, position, captures.count)
            } else if next < segments.count, segments[next].matches(path[position]) {
                if case .variable(let name) = segments[next] { captures.append((name, path[position])) }
                (next, position) = (next + 1, position + 1)
            } else if let last = restart {
                restart = (last.segment, last.position + 1, last.captures)
                (next, position) = (last.segment, last.position + 1)
                captures.removeSubrange(last.captures...)
            } else {
                return nil
            }
        }
        guard segments[next...].allSatisfy({ $0 == .rest }) else { return nil }
        return Dictionary(captures) { $1 }
    }
}

extension RoutePattern.Segment {
    /// Parses a segment of a template. Returns `nil` if it contains an unsupported expression.
    fileprivate init?(_ text: String) {
        let name = text.dropFirst().dropLast()
        if text == "*" {
            self = .any
        } else if text == "**" {
            self = .rest
        } else if text.hasPrefix("{"), text.hasSuffix("}"), !name.isEmpty, name.allSatisfy(\.isName) {
            self = .variable(String(name))
        } else if text.contains(where: { "{}*".contains($0) }) {
            return nil
        } else {
            self = .literal(PathSegment.decoded(text))
        }
    }

    func matches(_ text: String) -> Bool {
        switch self {
        case .literal(let literal): literal == text
        case .variable, .any: !text.isEmpty
        case .rest: true
        }
    }
}

extension Character {
    fileprivate var isName: Bool { isLetter || isNumber || self == "_" || self == "." }
}
