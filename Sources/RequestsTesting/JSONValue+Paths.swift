import Requests

extension JSONValue {
    /// A rule for comparing arrays and objects.
    enum Comparison {
        case equal
        /// Ignores the order of arrays.
        case anyOrder
        /// Ignores members that the other object doesn't have.
        case containing
    }

    /// Returns the value at a path of keys and array indexes, separated by dots. `nil` if it is missing.
    func value(at path: String) -> JSONValue? {
        var value = self
        for key in path.split(separator: ".") {
            switch value {
            case .object(let members):
                guard let member = members[String(key)] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Int(key), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// Returns the paths of the values that differ, sorted by key. The path of the whole document is empty.
    func paths(differingFrom other: JSONValue, _ comparison: Comparison = .equal) -> [String] {
        switch (self, other) {
        case (.object(let left), .object(let right)):
            let names = Set(right.map(\.key)).union(comparison == .containing ? [] : left.map(\.key))
            return names.sorted().flatMap { JSONValue.paths(left[$0], right[$0], comparison, under: $0) }
        case (.array(let left), .array(let right)):
            if comparison == .anyOrder { return normalized.sorted == other.normalized.sorted ? [] : [""] }
            return (0..<max(left.count, right.count)).flatMap { index in
                let (left, right) = (left.dropFirst(index).first, right.dropFirst(index).first)
                return JSONValue.paths(left, right, comparison, under: String(index))
            }
        default: return isSame(as: other) ? [] : [""]
        }
    }

    private func isSame(as other: JSONValue) -> Bool { self == other || normalized == other.normalized }

    /// The value with whole numbers as integers. Parsing reads 1.0 as an integer, but a caller can create a number.
    private var normalized: JSONValue {
        switch self {
        case .number(let value): JSONValue(floatLiteral: value)
        case .array(let elements): .array(elements.map(\.normalized))
        case .object(let members): .object(members.values.mapValues(\.normalized))
        default: self
        }
    }

    /// The value with the elements of arrays in an order that only depends on their values, within this process.
    private var sorted: JSONValue {
        switch self {
        case .array(let elements):
            .array(elements.map(\.sorted).map { ($0, $0.hashValue) }.sorted { $0.1 < $1.1 }.map(\.0))
        case .object(let members): .object(members.values.mapValues(\.sorted))
        default: self
        }
    }

    /// The number of values that aren't arrays or objects with content.
    var leafCount: Int {
        switch self {
        case .array(let elements) where !elements.isEmpty: elements.reduce(0) { $0 + $1.leafCount }
        case .object(let members) where !members.values.isEmpty: members.reduce(0) { $0 + $1.value.leafCount }
        default: 1
        }
    }

    private static func paths(
        _ left: JSONValue?,
        _ right: JSONValue?,
        _ comparison: Comparison,
        under key: String
    ) -> [String] {
        guard let left, let right else { return [key] }
        return left.paths(differingFrom: right, comparison).map { $0.isEmpty ? key : "\(key).\($0)" }
    }
}
