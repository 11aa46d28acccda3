import Requests

extension Cassette {
    /// A property that must be equal in a sent and a recorded request. Both are compared without their secrets.
    public struct Criterion: Sendable {
        /// Returns the difference between the sent (first) and the recorded request, or `nil` if they match.
        let difference: @Sendable (HAR.Request, HAR.Request) -> Difference?
    }

    /// A request without its secrets, which a ``Criterion`` compares.
    public struct RedactedRequest: Sendable {
        /// The method.
        public let method: String
        /// The URL without its fragment.
        public let url: String
        /// The header, with sensitive values redacted.
        public let header: Header
        /// The body. Empty if there is none.
        public let body: Data
    }
}

extension Cassette.Criterion {
    /// Creates a criterion.
    ///
    /// - Parameters:
    ///   - name: The property's name in the error for a request that doesn't match, such as `the tenant`.
    ///   - property: Returns the property's value.
    public init<Property: Equatable & SendableMetatype>(
        _ name: String,
        comparing property: @escaping @Sendable (Cassette.RedactedRequest) -> Property
    ) {
        difference = { sent, recorded in
            guard property(sent.redacted) != property(recorded.redacted) else { return nil }
            return Difference(description: "\(name) differs")
        }
    }
}

extension HAR.Request {
    fileprivate var redacted: Cassette.RedactedRequest {
        Cassette.RedactedRequest(method: method, url: url, header: Header(recorded: headers), body: body)
    }
}

extension Cassette.Criterion {
    /// The method.
    public static let method = Self(difference: { sent, recorded in
        guard sent.method != recorded.method else { return nil }
        let description = "the method is \(Redaction.quoted(sent.method)), not \(recorded.method)"
        return Difference(description: description, part: .method)
    })

    /// The URL. A fragment and the scheme's default port are ignored.
    public static let url = comparing { $0.origin.description + $0.target }

    /// The path and query. Use it instead of ``url`` to replay requests for another host or port.
    public static let target = comparing(\.target)

    /// The path. Use it instead of ``url`` to replay requests for another host or port, whatever their query.
    public static let path = comparing(\.path)

    private static func comparing(_ part: @escaping @Sendable (RequestURL) -> String) -> Self {
        @Sendable func text(_ url: String) -> String { (try? RequestURL(url)).map(part) ?? url }
        return Self(difference: { difference(text($0.url), text($1.url)) })
    }

    private static func difference(_ sent: String, _ recorded: String) -> Difference? {
        let (path, query) = sent.split(at: "?")
        let (recordedPath, recordedQuery) = recorded.split(at: "?")
        if path != recordedPath {
            let weight = dissimilarity(path, recordedPath)
            return Difference(description: "the URL differs", part: .path, weight: weight)
        }
        guard query != recordedQuery else { return nil }
        let (items, recordedItems) = (QueryItem.items(of: query ?? ""), QueryItem.items(of: recordedQuery ?? ""))
        let names = Set(items).symmetricDifference(recordedItems).map(\.name)
        guard let name = names.min() else { return Difference(description: "the query items are in a different order") }
        return Difference(
            description: "the query item \(Redaction.quoted(name)) differs",
            weight: Double(Set(names).count)
        )
    }

    /// The values of a header field, including their order.
    public static func header(_ name: Field.Name) -> Self {
        Self(difference: { sent, recorded in
            guard sent.values(of: name) != recorded.values(of: name) else { return nil }
            return Difference(description: "the header field \(name) differs")
        })
    }

    /// The body. JSON is compared by value, ignoring the order of keys, and URL-encoded forms by their decoded items.
    /// Multipart boundaries are ignored. Other bodies are compared byte by byte.
    public static let body = Self(difference: { sent, recorded in
        let (left, right) = (sent.normalizedBody, recorded.normalizedBody)
        guard left != right else { return nil }
        guard !left.isEmpty, !right.isEmpty else {
            return Difference(
                description: left.isEmpty ? "the request has no body" : "the recorded request has no body"
            )
        }
        // Only the path is shown, because the value may be a secret that no rule covers.
        if let sent = JSONValue(parsing: sent.body), let recorded = JSONValue(parsing: recorded.body),
            let path = sent.mismatches(with: recorded).first?.path, !path.isEmpty
        {
            return Difference(description: "the body differs in \(Redaction.quoted(path))")
        }
        let same = zip(left, right).prefix { $0 == $1 }.count
        return Difference(description: "the body differs starting at byte \(same + 1)")
    })
}
