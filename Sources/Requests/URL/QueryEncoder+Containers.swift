/// Encodes the members of a value.
struct QueryKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: QueryEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func member(_ key: some CodingKey) -> QueryEncoder {
        // The keys of a dictionary are data, not names.
        let isData = ObjectIdentifier(Key.self) == QueryEncoder.dictionaryKey
        let name = isData ? key.stringValue : encoder.style.keys.name(key.stringValue)
        return encoder.child(encoder.node.member(name), at: key)
    }

    mutating func encodeNil(forKey key: Key) { member(key).node.tree = .leaf(nil) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try member(key).encode(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        member(key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { member(TextKey("super")) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

extension QueryKeyedContainer {
    // The default implementations leave out `nil`. These let the style decide; there is one for each type.

    private mutating func encode(optional value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try encode(optional: value, forKey: key)
    }

    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encode(optional: value, forKey: key) }
}

/// Encodes the elements of a list.
struct QueryUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: QueryEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    private func element() -> QueryEncoder {
        let key = TextKey(intValue: count)
        return encoder.child(encoder.node.element(), at: key)
    }

    mutating func encodeNil() { element().node.tree = .leaf(nil) }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try element().encode(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        element().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { element() }
}

/// Encodes a value as a single other value.
struct QuerySingleContainer: SingleValueEncodingContainer {
    let encoder: QueryEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() { encoder.node.tree = .leaf(nil) }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }
}

/// A coding key for any name or array index.
struct TextKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ text: String) {
        stringValue = text
        intValue = nil
    }

    init(stringValue: String) {
        self.init(stringValue)
    }

    init(intValue: Int) {
        self.stringValue = String(intValue)
        self.intValue = intValue
    }
}
