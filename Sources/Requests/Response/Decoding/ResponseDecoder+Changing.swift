import Foundation

extension ResponseDecoder {
    /// Makes something else of the value.
    ///
    /// ```swift
    /// let count = api.get(ResponseDecoder.json(encoded: [User].self).map { $0.count }, from: "/users")
    /// ```
    ///
    /// - Parameter transform: Its errors reach the caller as they are.
    public func map<New>(_ transform: @escaping @Sendable (Response) throws -> New) -> ResponseDecoder<New> {
        ResponseDecoder<New>(isAsynchronous: isAsynchronous, rules: rules) { head, data, json in
            try transform(value(head, data, json))
        } later: { head, data, json in
            try transform(await awaitedValue(head, data, json))
        }
    }

    /// Makes something else of the value, and may wait for it.
    ///
    /// Only a ``Client`` can run the decoder: ``decode(_:_:)`` throws ``RequestError/Code/asynchronousDecoding``.
    ///
    /// - Parameter transform: Its errors reach the caller as they are.
    public func asyncMap<New>(
        _ transform: @escaping @Sendable (Response) async throws -> New
    ) -> ResponseDecoder<New> {
        ResponseDecoder<New>(rules: rules) { head, data, json in try await transform(awaitedValue(head, data, json)) }
    }

    /// Tells of each value, before the caller has it.
    ///
    /// - Parameter action: Its errors reach the caller in place of the value.
    public func onDecoded(_ action: @escaping @Sendable (Response) throws -> Void) -> ResponseDecoder {
        map { value in
            try action(value)
            return value
        }
    }

    /// Gives `nil` for a response without content: an empty body, 204, 205, and 304, which is taken whatever the client
    /// accepts, as the answer to a request with a condition.
    ///
    /// Specification: RFC 9110 §6.4.1, §15.4.5.
    public var optional: ResponseDecoder<Response?> {
        let rules = (rules ?? DecodingRules()).acceptingAlso { $0.statusCode == 304 }
        return ResponseDecoder<Response?>(isAsynchronous: isAsynchronous, rules: rules) { head, data, json in
            head.hasContent(data) ? try value(head, data, json) : nil
        } later: { head, data, json in
            head.hasContent(data) ? try await awaitedValue(head, data, json) : nil
        }
    }

    /// Reads a response in another way when this way fails.
    ///
    /// Which responses are taken is this decoder's to say, not the other's.
    public func fallback<Other>(to other: ResponseDecoder<Other>) -> ResponseDecoder<Fallback<Response, Other>> {
        ResponseDecoder<Fallback<Response, Other>>(
            isAsynchronous: isAsynchronous || other.isAsynchronous,
            rules: rules
        ) { head, data, json in
            do {
                return .primary(try value(head, data, json))
            } catch {
                return .fallback(try other.value(head, data, json), because: error)
            }
        } later: { head, data, json in
            do {
                return .primary(try await awaitedValue(head, data, json))
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                return .fallback(try await other.awaitedValue(head, data, json), because: error)
            }
        }
    }
}

/// What a decoder with a fallback made of a response.
public enum Fallback<Primary: Sendable, Other: Sendable>: Sendable {
    /// The value that was asked for.
    case primary(Primary)
    /// What there is in its place, and why.
    case fallback(Other, because: any Error)
}

extension ResponseHead {
    fileprivate func hasContent(_ data: Data) -> Bool {
        !data.isEmpty && ![204, 205, 304].contains(statusCode)
    }
}
