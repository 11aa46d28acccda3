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
/// Encoding and decoding throw beyond 100 levels to bound stack use.
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
    case array([JSONValue])
    /// An object. The order of its members isn't kept.
    case object([String: JSONValue])
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
        case .array(let value): try encode(value, into: &container, encoder)
        case .object(let value): try encode(value, into: &container, encoder)
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

extension JSONValue: Hashable {
    /// Compares the values. Zero equals a negative zero.
    public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        // A negative zero, as all other integers are `integer`.
        case (.integer(0), .number(0)), (.number(0), .integer(0)): true
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the whole value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .number(0): hasher.combine(0 as Int64)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}
