import Requests

extension JSONValue {
    /// The rules for comparing arrays and objects.
    struct Comparison {
        /// Ignores the order of arrays.
        var anyOrder = false
        /// Ignores members that the other object doesn't have, and elements of arrays in any order.
        var containing = false
    }

    /// A value that differs from the expected one. The whole document has an empty path. A missing value is `nil`.
    typealias Mismatch = (path: String, sent: JSONValue?, expected: JSONValue?)

    /// Returns the value at a path of keys and array indexes, separated by dots. `nil` if it is missing.
    func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self) { value, key in value?[String(key)] ?? Int(key).flatMap { value?[$0] } }
    }

    /// Returns the values that differ, sorted by key.
    func mismatches(with other: JSONValue, _ comparison: Comparison = Comparison()) -> [Mismatch] {
        switch (self, other) {
        case (.object(let left), .object(let right)):
            let names = Set(right.map(\.key)).union(comparison.containing ? [] : left.map(\.key))
            return names.sorted().flatMap { JSONValue.mismatches(left[$0], right[$0], comparison, under: $0) }
        case (.array(let left), .array(let right)) where comparison.anyOrder:
            let isMet = comparison.containing ? left.contain(right, comparison) : inAnyOrder == other.inAnyOrder
            return isMet ? [] : [("", self, other)]
        case (.array(let left), .array(let right)):
            return (0..<max(left.count, right.count)).flatMap { index in
                let (left, right) = (left.dropFirst(index).first, right.dropFirst(index).first)
                return JSONValue.mismatches(left, right, comparison, under: String(index))
            }
        default: return normalized == other.normalized ? [] : [("", self, other)]
        }
    }

    /// A whole number, and a negative zero, as an integer. Parsing reads 1.0 as an integer, but a caller can create a
    /// number.
    private var normalized: JSONValue {
        if case .number(let value) = self { value == 0 ? 0 : Self(floatLiteral: value) } else { self }
    }

    /// The value with the elements of all arrays in an order that depends only on them.
    private var inAnyOrder: JSONValue {
        switch self {
        case .array(let elements):
            let keyed = elements.map(\.inAnyOrder).map { (key: $0.description, value: $0) }
            return .array(keyed.sorted { $0.key < $1.key }.map(\.value))
        case .object(let members): return .object(members.values.mapValues(\.inAnyOrder))
        default: return normalized
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

    static func path(_ key: String, _ rest: String) -> String { rest.isEmpty ? key : "\(key).\(rest)" }

    private static func mismatches(
        _ left: JSONValue?,
        _ right: JSONValue?,
        _ comparison: Comparison,
        under key: String
    ) -> [Mismatch] {
        guard let left, let right else { return [(key, left, right)] }
        return left.mismatches(with: right, comparison).map { (path(key, $0.path), $0.sent, $0.expected) }
    }
}

extension JSONValue.Elements {
    /// Whether each of the others matches its own element. Moves earlier ones to another element if one needs their
    /// place (augmenting paths).
    fileprivate func contain(_ others: Self, _ comparison: JSONValue.Comparison) -> Bool {
        var owners: [Int: Int] = [:]
        func place(_ other: Int, _ tried: inout Set<Int>) -> Bool {
            for index in indices where !tried.contains(index) {
                guard self[index].mismatches(with: others[other], comparison).isEmpty else { continue }
                tried.insert(index)
                guard owners[index].map({ place($0, &tried) }) ?? true else { continue }
                owners[index] = other
                return true
            }
            return false
        }
        return others.indices.allSatisfy { other in
            var tried: Set<Int> = []
            return place(other, &tried)
        }
    }
}
