import Requests

extension StubTransport.Route {
    /// What sets a request apart from the route; nothing where it matches.
    func differences(from request: PreparedRequest) -> [Difference] {
        var differences: [Difference] = []
        if let origin = pattern.origin, origin != request.url.origin {
            differences.append(Difference(words: "the origin is \(request.url.origin), not \(origin)"))
        }
        if method != request.method {
            let words = "the method is \(Redaction.quoted(request.method.rawValue)), not \(method)"
            differences.append(Difference(words: words))
        }
        differences += pathDifferences(from: PathSegment.all(of: request.url.path[...]).map(PathSegment.decoded))
        let sent = QueryItem.items(of: request.url.query?[...] ?? "")
        for item in pattern.items where !sent.contains(item) {
            // Its name alone: the value may be a secret.
            differences.append(Difference(words: "the query item \(Redaction.quoted(item.name)) differs"))
        }
        return differences
    }

    private func pathDifferences(from sent: [String]) -> [Difference] {
        // A URL without a path is a request for the root.
        let sent = sent.isEmpty ? [""] : sent
        var differences: [Difference] = []
        for (index, (segment, text)) in zip(pattern.segments, sent).enumerated() {
            switch segment {
            case .literal(let literal) where literal != text:
                let words = "segment \(index + 1) is \(Redaction.quoted(text)), not \(Redaction.quoted(literal))"
                differences.append(Difference(words: words, weight: 2))
            case .variable where text.isEmpty:
                differences.append(Difference(words: "segment \(index + 1) is empty", weight: 2))
            default: break
            }
        }
        let surplus = sent.count - pattern.segments.count
        if surplus != 0 {
            let words = "the path has \(sent.count) segments, not \(pattern.segments.count)"
            differences.append(Difference(words: words, weight: 2 * abs(surplus)))
        }
        return differences
    }
}
