import Foundation
import Requests

extension Cassette {
    /// Something that a request and a recorded one must have in common, both without their secrets.
    public struct Criterion: Sendable {
        /// What differs, of the request that is sent and a recorded one; `nil` where they agree.
        let difference: @Sendable (HAR.Request, HAR.Request) -> Difference?
    }
}

extension Cassette.Criterion {
    /// The method.
    public static let method = Self { sent, recorded in
        guard sent.method != recorded.method else { return nil }
        return Difference(words: "the method is \(Redaction.quoted(sent.method)), not \(recorded.method)")
    }

    /// The URL without its fragment.
    public static let url = Self { sent, recorded in difference(sent.url, recorded.url) }

    /// Path and query, in place of ``url``: what one server has recorded is replayed for another, or for another port.
    public static let target = Self { sent, recorded in difference(target(of: sent.url), target(of: recorded.url)) }

    private static func target(of url: String) -> String { (try? RequestURL(url))?.target ?? url }

    private static func difference(_ sent: String, _ recorded: String) -> Difference? {
        let (path, query) = sent.split(at: "?")
        let (recordedPath, recordedQuery) = recorded.split(at: "?")
        if path != recordedPath {
            let (left, right) = (PathSegment.all(of: path), PathSegment.all(of: recordedPath))
            let same = zip(left, right).prefix { $0 == $1 }.count
            return Difference(words: "the URL differs", weight: 1 + max(left.count, right.count) - same)
        }
        guard query != recordedQuery else { return nil }
        let (items, recordedItems) = (QueryItem.items(of: query ?? ""), QueryItem.items(of: recordedQuery ?? ""))
        let names = Set(items).symmetricDifference(recordedItems).map(\.name)
        guard let name = names.min() else { return Difference(words: "the query is in another order") }
        return Difference(words: "the query item \(Redaction.quoted(name)) differs", weight: Set(names).count)
    }

    /// All fields of a name: their values, in order.
    public static func header(_ name: Field.Name) -> Self {
        Self { sent, recorded in
            guard sent.values(of: name) != recorded.values(of: name) else { return nil }
            return Difference(words: "the field \(name) differs")
        }
    }

    /// The body: JSON as a value, so that the order of its keys does not count, multipart bodies without their
    /// boundaries, and all else byte by byte.
    public static let body = Self { sent, recorded in
        let (left, right) = (sent.comparableBody, recorded.comparableBody)
        guard left != right else { return nil }
        guard !left.isEmpty, !right.isEmpty else {
            return Difference(words: left.isEmpty ? "it has no body" : "it has a body")
        }
        // Its place alone: what stands there may be a secret that no rule knows.
        if let path = JSONDifference.path(sent.body, recorded.body) {
            return Difference(words: "the body differs in \(Redaction.quoted(path))")
        }
        let same = zip(left, right).prefix { $0 == $1 }.count
        return Difference(words: "the body differs from byte \(same + 1) on")
    }
}
