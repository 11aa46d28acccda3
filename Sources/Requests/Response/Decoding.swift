/// The result of a decoder: a value, or one that has to be awaited.
///
/// Decoders that don't wait can be run without a task. With this type every combinator is written once for both kinds.
package enum Decoding<Value: Sendable>: Sendable {
    case value(Value)
    case pending(@Sendable () async throws -> Value)

    /// The value, awaited if necessary.
    package var awaited: Value {
        get async throws {
            switch self {
            case .value(let value): return value
            case .pending(let wait): return try await wait()
            }
        }
    }

    package func map<New>(_ transform: @escaping @Sendable (Value) throws -> New) throws -> Decoding<New> {
        switch self {
        case .value(let value): .value(try transform(value))
        case .pending: .pending { try transform(await awaited) }
        }
    }

    func asyncMap<New>(_ transform: @escaping @Sendable (Value) async throws -> New) -> Decoding<New> {
        .pending { try await transform(awaited) }
    }

    /// Replaces an error, now or later, except a cancellation.
    static func recovering(
        _ decode: () throws -> Decoding,
        from recover: @escaping @Sendable (any Error) throws -> Decoding
    ) throws -> Decoding {
        do {
            let decoding = try decode()
            guard case .pending = decoding else { return decoding }
            return .pending {
                do {
                    return try await decoding.awaited
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    return try await recover(error).awaited
                }
            }
        } catch {
            return try recover(error)
        }
    }
}
