import Requests

extension StubTransport.Route {
    /// Returns the differences between a request and the route. Empty if the route matches.
    func differences(from request: PreparedRequest) -> [Difference] {
        var differences: [Difference] = []
        if let origin = pattern.origin, origin != request.url.origin {
            differences.append(Difference(description: "the origin is \(request.url.origin), not \(origin)"))
        }
        if method != request.method {
            let description = "the method is \(Redaction.quoted(request.method.rawValue)), not \(method)"
            differences.append(Difference(description: description))
        }
        differences += pathDifferences(from: PathSegment.all(of: request.url.path[...]).map(PathSegment.decoded))
        let sent = QueryItem.items(of: request.url.query?[...] ?? "")
        for item in pattern.items where !sent.contains(item) {
            // Only the name, because the value may be a secret.
            differences.append(Difference(description: "the query item \(Redaction.quoted(item.name)) differs"))
        }
        return differences
    }

    private func pathDifferences(from sent: [String]) -> [Difference] {
        // A URL without a path requests the root.
        let sent = sent.isEmpty ? [""] : sent
        var differences: [Difference] = []
        for (index, (segment, text)) in zip(pattern.segments, sent).enumerated() {
            switch segment {
            case .literal(let literal) where literal != text:
                let description = "segment \(index + 1) is \(Redaction.quoted(text)), not \(Redaction.quoted(literal))"
                differences.append(Difference(description: description, weight: 2))
            case .variable where text.isEmpty:
                differences.append(Difference(description: "segment \(index + 1) is empty", weight: 2))
            default: break
            }
        }
        let extraSegments = sent.count - pattern.segments.count
        if extraSegments != 0 {
            let description = "the path has \(sent.count) segments, not \(pattern.segments.count)"
            differences.append(Difference(description: description, weight: 2 * abs(extraSegments)))
        }
        return differences
    }
}
