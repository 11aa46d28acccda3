extension ResponseDecoder {
    /// Returns a decoder that transforms the value.
    ///
    /// ```swift
    /// let count = api.get(ResponseDecoder.json([User].self).map { $0.count }, from: "/users")
    /// ```
    ///
    /// - Parameter transform: Its errors are rethrown.
    public func map<New>(_ transform: @escaping @Sendable (Response) throws -> New) -> ResponseDecoder<New> {
        ResponseDecoder<New>(rules: rules) { [read] in try read($0, $1, $2).map(transform) }
    }

    /// Returns a decoder that transforms the value and may wait.
    ///
    /// Only a client can run it: ``decode(_:_:)`` throws ``RequestError/Code/asynchronousDecoding``.
    ///
    /// - Parameter transform: Its errors are rethrown.
    public func asyncMap<New>(
        _ transform: @escaping @Sendable (Response) async throws -> New
    ) -> ResponseDecoder<New> {
        ResponseDecoder<New>(rules: rules) { [read] in try read($0, $1, $2).asyncMap(transform) }
    }

    /// Returns a decoder that passes each value to a closure before the caller gets it.
    ///
    /// - Parameter action: Its errors are rethrown instead of returning the value.
    public func onDecoded(_ action: @escaping @Sendable (Response) throws -> Void) -> ResponseDecoder {
        map { value in
            try action(value)
            return value
        }
    }

    /// A decoder that returns `nil` for a response without content: an empty body, or the status 204, 205 or 304.
    ///
    /// Accepts 304, the response to a conditional request, even if the client doesn't.
    ///
    /// Specification: RFC 9110 §6.4.1, §15.4.5.
    public var optional: ResponseDecoder<Response?> {
        let rules = (rules ?? ResponseRules()).acceptingAlso { $0.statusCode == 304 }
        return ResponseDecoder<Response?>(rules: rules) { [read] head, data, json in
            guard !data.isEmpty, ![204, 205, 304].contains(head.statusCode) else { return .value(nil) }
            return try read(head, data, json).map { $0 }
        }
    }

    /// Returns a decoder that tries another decoder if this one fails.
    ///
    /// This decoder decides which responses are accepted.
    public func fallback<Other>(to other: ResponseDecoder<Other>) -> ResponseDecoder<Fallback<Response, Other>> {
        ResponseDecoder<Fallback<Response, Other>>(rules: rules) { [read] head, data, json in
            try .recovering {
                try read(head, data, json).map { .primary($0) }
            } from: { error in
                try other.read(head, data, json).map { .fallback($0, because: error) }
            }
        }
    }
}

/// The result of ``ResponseDecoder/fallback(to:)``.
public enum Fallback<Primary: Sendable, Other: Sendable>: Sendable {
    /// The value of the first decoder.
    case primary(Primary)
    /// The value of the other decoder, and the first one's error.
    case fallback(Other, because: any Error)
}
