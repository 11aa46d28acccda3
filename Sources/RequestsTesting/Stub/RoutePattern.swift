import Requests

/// The parsed template of a route.
struct RoutePattern: Sendable {
    enum Segment: Equatable, Sendable {
        case literal(String)
        /// Expressions with text before, between and after them, such as `{name}.json` or `*`, which has no name. Each
        /// matches at least one character.
        case expressions([String?], texts: [String])
        /// `**`, which matches any number of segments.
        case rest
    }

    /// The template without its query.
    let path: String
    let host: HostPattern?
    let segments: [Segment]
    let items: [QueryItem]
    /// The reason why the template is invalid, or `nil` if it is valid.
    let invalidReason: String?
    /// The start of every path that matches, which rules out most other paths quickly.
    let start: String
    private let hasRest: Bool

    init(_ template: String) {
        let (address, query) = template.split(at: "?")
        path = String(address)
        items = query.map(QueryItem.items) ?? []
        var rest = address
        var invalidReason: String?
        if let scheme = address.firstRange(of: "://") {
            rest = address[scheme.upperBound...].drop { $0 != "/" }
            host = HostPattern(String(address[..<rest.startIndex]))
            if host == nil { invalidReason = "has an invalid origin; only a host can be *, or start with *." }
        } else {
            host = nil
        }
        segments = PathSegment.all(of: rest).map { text in
            let segment = Segment(text)
            if segment == nil {
                invalidReason =
                    "is invalid: expressions are {name} and * with text between them, and ** as a whole segment"
            }
            return segment ?? .literal(text)
        }
        self.invalidReason = invalidReason
        hasRest = segments.contains(.rest)
        start = segments.prefix { $0.isLiteral }.map { "/\($0)" }.joined()
    }

    /// Returns the values of the variables by name, or `nil` if the path doesn't match.
    ///
    /// Backtracks only to the last `**`, so it takes quadratic time at most.
    ///
    /// - Parameter path: The decoded segments of the request's path.
    func captures(from path: [String]) -> [String: String]? {
        guard hasRest || path.count == segments.count else { return nil }
        var captures: [(String, String)] = []
        var (next, position) = (0, 0)
        var restart: (segment: Int, position: Int, captures: Int)?
        while position < path.count {
            if next < segments.count, segments[next] == .rest {
                next += 1
                restart = (next, position, captures.count)
            } else if next < segments.count, let values = segments[next].captures(from: path[position]) {
                captures += values
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
        return captures.isEmpty ? [:] : Dictionary(captures) { $1 }
    }
}

extension RoutePattern.Segment: CustomStringConvertible {
    /// Parses a segment of a template. Returns `nil` if it contains an unsupported expression.
    fileprivate init?(_ text: String) {
        if text == "**" {
            self = .rest
            return
        }
        var (expressions, texts) = ([String?](), [""])
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "*": expressions.append(nil)
            case "{":
                let name = rest.prefix { $0 != "}" }
                rest = rest.dropFirst(name.count)
                guard rest.popFirst() == "}", !name.isEmpty, name.allSatisfy(\.isName) else { return nil }
                expressions.append(String(name))
            case "}": return nil
            default:
                texts[texts.count - 1].append(character)
                continue
            }
            texts.append("")
        }
        // Two expressions need text between them. Otherwise, it is unknown where the first one ends.
        guard texts.dropFirst().dropLast().allSatisfy({ !$0.isEmpty }) else { return nil }
        texts = texts.map(PathSegment.decoded)
        self = expressions.isEmpty ? .literal(texts[0]) : .expressions(expressions, texts: texts)
    }

    var isLiteral: Bool { if case .literal = self { true } else { false } }

    /// The decoded segment as in a template.
    var description: String {
        switch self {
        case .literal(let text): text
        case .expressions(let expressions, let texts):
            texts[0] + zip(expressions, texts.dropFirst()).map { "\($0.map { "{\($0)}" } ?? "*")\($1)" }.joined()
        case .rest: "**"
        }
    }

    /// Returns the captured values, or `nil` if the text doesn't match.
    func captures(from text: String) -> [(String, String)]? {
        guard case .expressions(let expressions, let texts) = self else {
            return self == .rest || self == .literal(text) ? [] : nil
        }
        guard text.hasPrefix(texts[0]), let end = texts.last else { return nil }
        var rest = text.dropFirst(texts[0].count)
        var captures: [(String, String)] = []
        for (expression, separator) in zip(expressions, texts.dropFirst()) {
            let isLast = captures.count == expressions.count - 1
            guard !rest.isEmpty else { return nil }
            var value = rest
            if isLast {
                guard rest.hasSuffix(end), rest.count > end.count else { return nil }
                value = rest.dropLast(end.count)
            } else {
                // The first character belongs to the value, which can't be empty.
                guard let range = rest.dropFirst().firstRange(of: separator) else { return nil }
                value = rest[..<range.lowerBound]
                rest = rest[range.upperBound...]
            }
            captures.append((expression ?? "", String(value)))
        }
        return captures
    }
}

extension Character {
    fileprivate var isName: Bool { isLetter || isNumber || self == "_" || self == "." }
}

/// The origin of a template, whose host can start with `*.` for any subdomain, or be `*` for any host.
struct HostPattern: Sendable, CustomStringConvertible {
    let description: String
    private let origin: RequestURL.Origin
    /// The end of a host with a wildcard. `nil` if the host has none.
    private let suffix: String?

    init?(_ text: String) {
        let parts = text.split(separator: "://*", maxSplits: 1, omittingEmptySubsequences: false)
        let isWildcard = parts.count == 2 && (parts[1].first.map { ".:".contains($0) } ?? true)
        // A letter in the place of the wildcard makes the rest a valid origin.
        guard let origin = RequestURL.origin(isWildcard ? "\(parts[0])://x\(parts[1])" : text) else { return nil }
        self.origin = origin
        description = isWildcard ? text : "\(origin)"
        suffix = isWildcard ? String(origin.host.dropFirst()) : nil
    }

    func matches(_ other: RequestURL.Origin) -> Bool {
        guard let suffix else { return origin == other }
        return origin.scheme == other.scheme && origin.port == other.port && other.host.hasSuffix(suffix)
            && other.host.count > suffix.count
    }
}
