/// Encodes a value as a tree of strings.
struct QueryEncoder: Encoder {
    /// The encoded value, shared by an encoder and its containers.
    final class Node {
        var tree: QueryTree?
        private var children: [(key: String, node: Node)] = []
        /// The positions of members, by key.
        private var positions: [String: Int] = [:]
        private var isList = false
        /// The types of the keys of members.
        fileprivate var keyTypes: [ObjectIdentifier] = []

        /// Adds a member, or replaces the member with the same key.
        func member(_ key: String) -> Node {
            let node = Node()
            if let position = positions[key] {
                children[position].node = node
            } else {
                positions[key] = children.count
                children.append((key, node))
            }
            return node
        }

        func element() -> Node {
            let node = Node()
            children.append(("", node))
            return node
        }

        var count: Int { children.count }

        func becomeList() { isList = true }

        func finished() -> QueryTree {
            if let tree { return tree }
            if isList { return .list(children.map { $0.node.finished() }) }
            // A dictionary's order differs in each process.
            let isDictionary = keyTypes.contains(QueryEncoder.dictionaryKey)
            let members = isDictionary ? children.sorted { $0.key < $1.key } : children
            return .object(members.map { (key: $0.key, value: $0.node.finished()) })
        }
    }

    let node: Node
    let style: Query.Style
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    static func tree(of value: some Encodable, _ style: Query.Style) throws -> QueryTree {
        let node = Node()
        try QueryEncoder(node: node, style: style, codingPath: []).encode(value)
        return node.finished()
    }

    /// Encodes a value. Types with a string form become a leaf, even if they conform to `Encodable` in another way.
    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let value as String: node.tree = .leaf(value)
        case let value as Bool: node.tree = .leaf(value.description)
        case let value as Date: node.tree = .leaf(style.dates.text(value))
        case let value as Data: node.tree = .leaf(value.base64EncodedString())
        case let value as URL: node.tree = .leaf(value.absoluteString)
        case let value as Decimal: node.tree = .leaf("\(value)")
        case let value as any BinaryInteger: node.tree = .leaf("\(value)")
        case let value as any BinaryFloatingPoint: node.tree = .leaf(try text(of: value))
        default: try value.encode(to: self)
        }
    }

    private func text(of number: any BinaryFloatingPoint) throws -> String {
        guard number.isFinite else {
            let context = EncodingError.Context(codingPath: codingPath, debugDescription: "\(number) isn't finite.")
            throw EncodingError.invalidValue(number, context)
        }
        return number.jsonText
    }

    func child(_ node: Node, at key: some CodingKey) -> QueryEncoder {
        QueryEncoder(node: node, style: style, codingPath: codingPath + [key])
    }

    /// The type of the keys with which dictionaries encode themselves. It isn't public.
    static let dictionaryKey: ObjectIdentifier = {
        let node = Node()
        try? [String: Int]().encode(to: QueryEncoder(node: node, style: Query.Style(), codingPath: []))
        return node.keyTypes.first ?? ObjectIdentifier(TextKey.self)
    }()

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.keyTypes.append(ObjectIdentifier(type))
        return KeyedEncodingContainer(QueryKeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeList()
        return QueryUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        QuerySingleContainer(encoder: self)
    }
}

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

    init(stringValue: String) { self.init(stringValue) }

    init(intValue: Int) {
        self.stringValue = String(intValue)
        self.intValue = intValue
    }
}
