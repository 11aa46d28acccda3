extension KeyedDecodingContainer {
    /// Decodes a member. `nil` if it is missing or of another type.
    func readable<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? { try? decode(type, forKey: key) }
}
