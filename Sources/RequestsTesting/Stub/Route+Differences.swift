import Requests

extension StubTransport.Route {
    /// Returns the values that the route captures, or `nil` if the request doesn't match.
    func captures(from parsed: ParsedRequest) -> [String: String]? {
        if let method, method != parsed.request.method { return nil }
        guard let captures = pattern.captures(from: parsed.path), pattern.host?.matches(parsed.origin) ?? true else {
            return nil
        }
        for condition in conditions where !condition.differences(parsed).isEmpty { return nil }
        return captures
    }

    /// Returns the differences between a request and the route. Empty if the route matches.
    func differences(from parsed: ParsedRequest) -> [Difference] {
        var differences = pattern.captures(from: parsed.path) == nil ? pathDifferences(from: parsed.path) : []
        if let host = pattern.host, !host.matches(parsed.origin) {
            differences.append(Difference(description: "the origin is \(parsed.origin), not \(host)", part: .origin))
        }
        if let method, method != parsed.request.method {
            let description = "the method is \(Redaction.quoted(parsed.request.method.rawValue)), not \(method)"
            differences.append(Difference(description: description, part: .method))
        }
        return differences + conditions.flatMap { $0.differences(parsed) }
    }

    /// Aligns the segments at the start and at the end of the paths, and compares those between them in pairs.
    private func pathDifferences(from sent: [String]) -> [Difference] {
        let segments = pattern.segments
        let rest = segments.firstIndex(of: .rest)
        // Ignores segments between two `**`, whose positions vary.
        let head = segments[..<(rest ?? segments.count)]
        let tail = segments[(segments.lastIndex(of: .rest).map { $0 + 1 } ?? 0)...]
        func matches(_ segment: RoutePattern.Segment, _ text: String) -> Bool { segment.captures(from: text) != nil }
        let start = zip(head, sent).prefix { matches($0, $1) }.count
        let free = sent.dropFirst(start)
        let end = zip(tail.dropFirst(rest == nil ? start : 0).reversed(), free.reversed()).prefix { matches($0, $1) }
            .count
        let between = head[start..<(rest == nil ? segments.count - end : head.count)]
        var differences: [Difference] = []
        for (segment, (index, text)) in zip(between, free.dropLast(end).enumerated()) where !matches(segment, text) {
            let shown = text.isEmpty ? "empty" : "\(Redaction.quoted(text)), not \(Redaction.quoted("\(segment)"))"
            let hint = "\(segment)".hasPrefix(":") ? "; write a variable as {name}" : ""
            let weight = segment.isLiteral && hint.isEmpty ? dissimilarity("\(segment)", text) : text.isEmpty ? 1 : 0.5
            let description = "segment \(start + index + 1) is \(shown)\(hint)"
            differences.append(Difference(description: description, part: .path, weight: weight))
        }
        let extra = sent.count - segments.count
        if rest == nil, extra != 0 {
            let description =
                if extra > 0, zip(segments, sent.dropFirst(extra)).allSatisfy(matches) {
                    "the path starts with "
                        + "\(Redaction.quoted("/" + sent.prefix(extra).joined(separator: "/"))), so write "
                        + "\(Redaction.quoted("/**/" + segments.map(\.description).joined(separator: "/")))"
                } else if extra == 1, sent.last == "", start == segments.count {
                    "the path ends with “/”"
                } else if extra == -1, segments.last == .literal(""), start == sent.count {
                    "the path doesn't end with “/”"
                } else {
                    "the path has \(sent.count) segment\(sent.count == 1 ? "" : "s"), not \(segments.count)"
                }
            differences.append(Difference(description: description, part: .path, weight: Double(abs(extra))))
        }
        guard differences.isEmpty else { return differences }
        let description = "the path \(Redaction.quoted("/" + sent.joined(separator: "/"))) doesn't match"
        return [Difference(description: description, part: .path)]
    }
}
