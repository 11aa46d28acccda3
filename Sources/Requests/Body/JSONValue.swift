/// Any JSON value.
///
/// Write it with Swift literals:
///
/// ```swift
/// let order: JSONValue = [
///     "item": "tea", "count": 2, "gift": true, "notes": [nil, "hot"],
/// ]
/// ```
///
/// A value can be nested to any depth. Encoding and decoding throw beyond 100 levels to bound stack use.
///
/// Specification: RFC 8259 §3.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number that fits into 64 bits.
    case integer(Int64)
    /// A number beyond 64 bits that a `Double` would round. Exact up to 38 digits.
    case decimal(Decimal)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array(Elements)
    /// An object. The order of its members isn't kept.
    case object(Members)

    /// Creates an array.
    public static func array(_ elements: [JSONValue]) -> JSONValue { .array(Elements(elements)) }

    /// Creates an object.
    public static func object(_ members: [String: JSONValue]) -> JSONValue { .object(Members(members)) }
}

extension JSONValue {
    /// The value of a member. `nil` if there is none, or this isn't an object.
    public subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }

    /// The element at a position. `nil` if there is none, or this isn't an array.
    public subscript(position: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(position) { elements[position] } else { nil }
    }

    /// The string. `nil` if this isn't one.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
}

extension JSONValue: Codable {
    /// Decodes any JSON value. A number beyond the range of `Double`, such as `1e400`, is its greatest or least finite
    /// value.
    ///
    /// - Throws: `DecodingError` beyond 100 levels, or the decoder's own error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = JSONValue.scalar(in: container) {
            self = value
        } else {
            let path = decoder.codingPath
            guard path.count < JSONNesting.maximum else { throw JSONNesting.decodingError(path) }
            if (try? decoder.unkeyedContainer()) != nil {
                self = .array(try container.decode([JSONValue].self))
            } else {
                do {
                    self = .object(try container.decode([String: JSONValue].self))
                } catch DecodingError.typeMismatch(_, let context) where context.codingPath.count == path.count {
                    // It isn't valid JSON. A string says why.
                    self = .string(try container.decode(String.self))
                }
            }
        }
    }

    /// Decodes anything but an array and an object. Apart from the initializer, to bound the stack that nesting uses.
    private static func scalar(in container: any SingleValueDecodingContainer) -> JSONValue? {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) {
            // Foundation reads `-0.0` as an integer, too.
            return value == 0 ? JSONValue(floatLiteral: (try? container.decode(Double.self)) ?? 0) : .integer(value)
        }
        do {
            let value = try container.decode(Double.self)
            guard abs(value) >= 0x1p63, let exact = try? container.decode(Decimal.self),
                exact != Decimal(string: "\(value)")
            else { return JSONValue(floatLiteral: value) }
            return .decimal(exact)
        } catch DecodingError.typeMismatch {
            return (try? container.decode(String.self)).map { .string($0) }
        } catch {
            return (try? container.decode(String.self)).map { .string($0) } ?? limit(for: error)
        }
    }

    /// Returns the greatest or least finite number for a number beyond it. `nil` for any other value.
    private static func limit(for error: any Error) -> JSONValue? {
        // Foundation's error has no public type, and only its text has the number.
        var text = "\(error)"
        if case DecodingError.dataCorrupted(let context) = error { text = context.debugDescription }
        guard text.contains("epresentable") else { return nil }
        let isNegative = text.contains("\"-") || text.contains(" -")
        return .number(isNegative ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude)
    }

    /// Encodes the JSON value, without naming its case.
    ///
    /// - Throws: `EncodingError` beyond 100 levels, or the encoder's own error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try encode(value.values, into: &container, encoder)
        case .object(let value): try encode(value.values, into: &container, encoder)
        }
    }

    private func encode(
        _ nested: some Encodable,
        into container: inout any SingleValueEncodingContainer,
        _ encoder: any Encoder
    ) throws {
        guard encoder.codingPath.count < JSONNesting.maximum else {
            let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: JSONNesting.message)
            // The type instead of the value, which may be a secret.
            throw EncodingError.invalidValue(JSONValue.self, context)
        }
        try container.encode(nested)
    }
}

/// Members of a value that may be missing: `json["user"]["id"]`.
extension Optional where Wrapped == JSONValue {
    /// The member with a name. `nil` if the value is missing, is no object, or has no such member.
    public subscript(name: String) -> JSONValue? { self?[name] }

    /// The element at a position. `nil` if the value is missing, is no array, or is too short.
    public subscript(position: Int) -> JSONValue? { self?[position] }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates a number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Creates a number: ``integer(_:)`` for a whole number that fits, so that `2.0` equals `2`. `-0.0` stays a
    /// ``number(_:)``, because an integer has no negative zero.
    public init(floatLiteral value: Double) {
        let isNegativeZero = value == 0 && value.sign == .minus
        self = isNegativeZero ? .number(value) : Int64(exactly: value).map(JSONValue.integer) ?? .number(value)
    }

    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object. If a name repeats, the last member is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension JSONValue {
    /// Parses JSON. `nil` if the data isn't JSON.
    package init?(parsing data: Data) {
        guard let value = try? JSONDecoder().decodeLimited(JSONValue.self, from: data) else { return nil }
        self = value
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON.
    public var description: String {
        do {
            return String(decoding: try JSONCoders.standard.encoder.encode(self), as: UTF8.self)
        } catch {
            return "a JSON value that can't be encoded"
        }
    }
}

extension JSONValue {
    /// The elements of an array.
    public struct Elements: RandomAccessCollection, Sendable {
        fileprivate let storage: Storage

        /// Creates an array.
        public init(_ elements: [JSONValue]) { storage = Storage(elements, [:]) }

        /// The elements as an array.
        public var values: [JSONValue] { storage.elements }
        /// The position of the first element.
        public var startIndex: Int { 0 }
        /// The position after the last element.
        public var endIndex: Int { storage.elements.count }
        /// The element at a position.
        public subscript(position: Int) -> JSONValue { storage.elements[position] }
    }

    /// The members of an object.
    public struct Members: Sequence, Sendable {
        fileprivate let storage: Storage

        /// Creates an object.
        public init(_ members: [String: JSONValue]) { storage = Storage([], members) }

        /// The members as a dictionary.
        public var values: [String: JSONValue] { storage.members }
        /// Returns an iterator over the members.
        public func makeIterator() -> Dictionary<String, JSONValue>.Iterator { storage.members.makeIterator() }
        /// The value of a member. `nil` if there is none.
        public subscript(name: String) -> JSONValue? { storage.members[name] }
    }

    /// Values in an object, whose release doesn't recurse: a value can be nested more deeply than the stack allows.
    fileprivate final class Storage: Sendable {
        /// Safe: `elements` and `members` are changed only by a `deinit`, when there is no other reference.
        @safe fileprivate nonisolated(unsafe) private(set) var elements: [JSONValue]
        /// Safe for the same reason.
        @safe fileprivate nonisolated(unsafe) private(set) var members: [String: JSONValue]

        init(_ elements: [JSONValue], _ members: [String: JSONValue]) {
            (self.elements, self.members) = (elements, members)
        }

        deinit {
            var pending: [Storage] = []
            takeNested(into: &pending)
            while var storage = pending.popLast() {
                // Values that are shared stay.
                if isKnownUniquelyReferenced(&storage) { storage.takeNested(into: &pending) }
            }
        }

        /// Removes the values, and keeps the storage of the nested ones.
        private func takeNested(into pending: inout [Storage]) {
            pending += elements.compactMap(\.storage)
            pending += members.values.compactMap(\.storage)
            (elements, members) = ([], [:])
        }
    }

    private var storage: Storage? {
        switch self {
        case .array(let elements): elements.storage
        case .object(let members): members.storage
        case .null, .bool, .integer, .decimal, .number, .string: nil
        }
    }
}

extension JSONValue: Hashable {
    /// Compares the values. Doesn't recurse, because a value can be nested more deeply than the stack allows.
    public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
        var pending = [(lhs, rhs)]
        while let pair = pending.popLast() {
            switch pair {
            case (.null, .null): continue
            case (.bool(let left), .bool(let right)): guard left == right else { return false }
            case (.integer(let left), .integer(let right)): guard left == right else { return false }
            case (.decimal(let left), .decimal(let right)): guard left == right else { return false }
            case (.number(let left), .number(let right)): guard left == right else { return false }
            // A negative zero, as all other integers are `integer`.
            case (.integer(0), .number(0)), (.number(0), .integer(0)): continue
            case (.string(let left), .string(let right)): guard left == right else { return false }
            case (.array(let left), .array(let right)):
                guard left.count == right.count else { return false }
                if left.storage !== right.storage { pending += Array(zip(left, right)) }
            case (.object(let left), .object(let right)):
                guard left.values.count == right.values.count else { return false }
                if left.storage === right.storage { continue }
                for (name, value) in left {
                    guard let other = right[name] else { return false }
                    pending.append((value, other))
                }
            default: return false
            }
        }
        return true
    }

    /// Hashes the whole value, an object's members in the order of their names. Doesn't recurse.
    public func hash(into hasher: inout Hasher) {
        var pending = [self]
        while let value = pending.popLast() {
            switch value {
            case .null: hasher.combine(0)
            case .bool(let value): hasher.combine(value)
            case .integer(let value): hasher.combine(value)
            case .decimal(let value): hasher.combine(value)
            case .number(0): hasher.combine(0 as Int64)
            case .number(let value): hasher.combine(value)
            case .string(let value): hasher.combine(value)
            case .array(let elements):
                hasher.combine(elements.count)
                pending += elements
            case .object(let members):
                hasher.combine(members.values.count)
                for (name, value) in members.values.sorted(by: { $0.key < $1.key }) {
                    hasher.combine(name)
                    pending.append(value)
                }
            }
        }
    }
}
