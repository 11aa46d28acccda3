import Requests

/// A request with its URL parsed once for all routes.
struct ParsedRequest {
    let request: PreparedRequest
    let origin: RequestURL.Origin
    /// The decoded segments of the path.
    let path: [String]
    let items: [QueryItem]

    init(_ request: PreparedRequest) {
        self.request = request
        origin = request.url.origin
        let path = PathSegment.all(of: request.url.path[...]).map(PathSegment.decoded)
        // A URL without a path means the root.
        self.path = path.isEmpty ? [""] : path
        items = QueryItem.items(of: request.url.query?[...] ?? "")
    }
}

extension StubTransport.Route {
    /// Returns the differences between a request and the route. Empty if the route matches.
    func differences(from parsed: ParsedRequest) -> [Difference] {
        var differences: [Difference] = []
        if let origin = pattern.origin, origin != parsed.origin {
            differences.append(Difference(description: "the origin is \(parsed.origin), not \(origin)"))
        }
        if let method, method != parsed.request.method {
            let description = "the method is \(Redaction.quoted(parsed.request.method.rawValue)), not \(method)"
            differences.append(Difference(description: description))
        }
        if pattern.captures(from: parsed.path) == nil { differences += pathDifferences(from: parsed.path) }
        for item in pattern.items where !parsed.items.contains(item) {
            // Shows only the name, because the value may be a secret.
            differences.append(Difference(description: "the query item \(Redaction.quoted(item.name)) differs"))
        }
        return differences + conditions.flatMap { $0.differences(parsed) }
    }

    private func pathDifferences(from sent: [String]) -> [Difference] {
        // Ignores segments after `**`, whose positions vary.
        let segments = pattern.segments.prefix { $0 != .rest }
        var differences: [Difference] = []
        for (index, (segment, text)) in zip(segments, sent).enumerated() where !segment.matches(text) {
            let description =
                if case .literal(let literal) = segment {
                    "segment \(index + 1) is \(Redaction.quoted(text)), not \(Redaction.quoted(literal))"
                } else {
                    "segment \(index + 1) is empty"
                }
            differences.append(Difference(description: description, weight: 2))
        }
        let extraSegments = sent.count - segments.count
        if segments.count == pattern.segments.count, extraSegments != 0 {
            let description = "the path has \(sent.count) segments, not \(segments.count)"
            differences.append(Difference(description: description, weight: 2 * abs(extraSegments)))
        }
        guard differences.isEmpty else { return differences }
        let description = "the path \(Redaction.quoted("/" + sent.joined(separator: "/"))) doesn't match"
        return [Difference(description: description, weight: 2)]
    }
}
