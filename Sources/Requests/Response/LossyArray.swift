/// An array of the elements that could be decoded, for a property of a model.
///
/// ```swift
/// struct Feed: Decodable {
///     @LossyArray var posts: [Post]  // feed.$posts: the dropped elements
/// }
/// ```
///
/// A missing value, or one that isn't an array, is an error.
@propertyWrapper
public struct LossyArray<Element> {
    /// The elements.
    public var wrappedValue: [Element]

    /// The elements that couldn't be decoded: the index in the array, which starts at 0, and the error and its place,
    /// without the content.
    public private(set) var projectedValue: [(index: Int, reason: String)] = []

    /// Creates an array without dropped elements.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }
}

extension LossyArray: Decodable where Element: Decodable {
    /// Decodes the elements, and drops the ones that can't be decoded.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var array = LossyArray(wrappedValue: [])
        array.wrappedValue.reserveCapacity(container.count ?? 0)
        while !container.isAtEnd {
            let index = container.currentIndex
            switch try container.decode(LossyElement<Element>.self).result {
            case .success(let element): array.wrappedValue.append(element)
            case .failure(let error):
                let reason = ResponseError.reason(of: error, below: decoder.codingPath.count + 1)
                array.projectedValue.append((index, reason))
            }
        }
        self = array
    }
}

extension LossyArray: Encodable where Element: Encodable {
    /// Encodes the elements as an array.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension LossyArray: Sendable where Element: Sendable {}

extension LossyArray: Equatable where Element: Equatable {
    /// Compares the elements. Ignores dropped elements.
    public static func == (lhs: LossyArray, rhs: LossyArray) -> Bool { lhs.wrappedValue == rhs.wrappedValue }
}

extension LossyArray: Hashable where Element: Hashable {
    /// Hashes the elements.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// A value at a path in a document.
struct AtPath<Value: Decodable>: DecodableWithConfiguration {
    let value: Value

    init(from decoder: any Decoder, configuration path: [TextKey]) throws {
        guard let key = path.first else {
            value = try decoder.singleValueContainer().decode(Value.self)
            return
        }
        let rest = Array(path.dropFirst())
        if let index = Int(key.stringValue), index >= 0, var array = try? decoder.unkeyedContainer() {
            value = try AtPath.element(index, of: &array, rest)
        } else {
            let object = try decoder.container(keyedBy: TextKey.self)
            guard object.contains(key) else {
                let context = DecodingError.Context(codingPath: object.codingPath, debugDescription: "it is missing")
                throw DecodingError.keyNotFound(key, context)
            }
            value = try object.decode(AtPath.self, forKey: key, configuration: rest).value
        }
    }

    private static func element(
        _ index: Int,
        of array: inout any UnkeyedDecodingContainer,
        _ rest: [TextKey]
    ) throws -> Value {
        while !array.isAtEnd {
            if array.currentIndex == index { return try array.decode(AtPath.self, configuration: rest).value }
            _ = try array.decode(LossyElement<Never>.self)
        }
        let context = DecodingError.Context(
            codingPath: array.codingPath,
            debugDescription: "the array has \(array.currentIndex) elements"
        )
        throw DecodingError.keyNotFound(TextKey(intValue: index), context)
    }
}

/// A value or its error. Decoding it never fails, so that the next elements of an array can be decoded.
struct LossyElement<Value: Decodable>: Decodable {
    let result: Result<Value, any Error>

    init(from decoder: any Decoder) throws {
        // A container applies the decoder's strategies for dates, data and keys.
        result = Result { try decoder.singleValueContainer().decode(Value.self) }
    }
}

/// The only value of an object that decodes as `Value`.
struct Unwrapped<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: TextKey.self)
        var found: [(key: TextKey, value: Value)] = []
        for key in object.allKeys {
            if let value = try? object.decode(Value.self, forKey: key) { found.append((key, value)) }
        }
        guard let only = found.first, found.count == 1 else {
            let keys = (found.isEmpty ? object.allKeys : found.map(\.key)).map(\.stringValue).sorted()
            throw UnwrappingError(keys: keys, isAmbiguous: !found.isEmpty)
        }
        value = only.value
    }
}

/// The error for an object with no value of the type, or several.
struct UnwrappingError: Error, CustomStringConvertible {
    let keys: [String]
    let isAmbiguous: Bool

    var description: String {
        let shown = keys.prefix(10).map { Redaction.quoted($0) } + (keys.count > 10 ? ["…"] : [])
        let names = shown.joined(separator: ", ")
        if isAmbiguous { return "\(names) all match, so select one with the parameter key" }
        return keys.isEmpty ? "the object is empty" : "none of \(names) matches"
    }
}
