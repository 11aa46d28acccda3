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
    public init(wrappedValue: [Element]) {
        self.wrappedValue = wrappedValue
    }
}

extension LossyArray: Decodable where Element: Decodable {
    /// Decodes the elements, and drops the ones that can't be decoded.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var array = LossyArray(wrappedValue: [])
        array.wrappedValue.reserveCapacity(container.count ?? 0)
        while !container.isAtEnd {
            let index = container.currentIndex
            switch try container.decode(Attempt<Element>.self).result {
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
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
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
