/// A large value that copies share until one of them changes, so that copying costs one reference.
///
/// Its members, and the accessors of the types that it stores, are inlinable, because a call from another module
/// costs more than what it does.
@usableFromInline package struct CopyOnWrite<Value: Sendable>: Sendable {
    /// Safe: its value changes only while it has a single owner (``value``).
    @usableFromInline final class Storage: @unchecked Sendable {
        // Checks of accesses that can't overlap would cost time in each call.
        @safe @exclusivity(unchecked) @usableFromInline var value: Value

        @inlinable init(_ value: consuming Value) { self.value = value }
    }

    @usableFromInline var storage: Storage

    @inlinable package init(_ value: consuming Value) { storage = Storage(value) }

    @inlinable package var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }

    /// Whether neither copy has changed, so that they are equal without a comparison.
    @inlinable package func isShared(with other: CopyOnWrite) -> Bool { storage === other.storage }
}

extension CopyOnWrite: Equatable where Value: Equatable {
    @usableFromInline package static func == (lhs: CopyOnWrite, rhs: CopyOnWrite) -> Bool {
        lhs.isShared(with: rhs) || lhs.value == rhs.value
    }
}

extension CopyOnWrite: Hashable where Value: Hashable {
    @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
