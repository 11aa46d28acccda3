import Requests

extension JSONValue {
    /// The member of an object with a name. `nil` for any other value.
    subscript(_ name: String) -> JSONValue? { members?[name] }

    var members: [String: JSONValue]? { if case .object(let members) = self { members.values } else { nil } }

    var elements: [JSONValue]? { if case .array(let elements) = self { elements.values } else { nil } }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var isTrue: Bool { self == .bool(true) }

    /// A number as a floating-point value. `nil` for any other value.
    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): Double("\(value)")
        case .number(let value): value
        default: nil
        }
    }

    /// A whole number. `nil` for any other value.
    var count: Int? { double.flatMap { Int(exactly: $0) } }

    /// Whether two values are equal, and their strings have the same Unicode scalars. `==` ignores how a character is
    /// composed, but JSON Schema doesn't.
    func isExactly(_ other: JSONValue) -> Bool {
        guard self == other else { return false }
        let (left, right) = (description.utf8, other.description.utf8)
        return left.allSatisfy { $0 < 0x80 } && right.allSatisfy { $0 < 0x80 } || left.elementsEqual(right)
    }

    /// Returns the target of a reference such as `#/components/schemas/User` (RFC 6901). `nil` if it doesn't exist.
    func value(atPointer pointer: String) -> JSONValue? {
        guard pointer == "#" || pointer.hasPrefix("#/") else { return nil }
        var value = self
        for token in pointer.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false)
        where pointer.count > 1 {
            let name = PathSegment.decoded(String(token)).replacing("~1", with: "/").replacing("~0", with: "~")
            let (elements, index) = (value.elements ?? [], Int(name) ?? -1)
            let element: JSONValue? = elements.indices.contains(index) ? elements[index] : .none
            guard let next = value[name] ?? element else { return nil }
            value = next
        }
        return value
    }

    /// Returns the value, or the value that its `$ref` refers to.
    func resolved(in document: JSONValue) -> JSONValue {
        var value = self
        // Limited, because references can form a cycle.
        for _ in 0..<16 {
            guard let pointer = value["$ref"]?.string, let next = document.value(atPointer: pointer) else { break }
            value = next
        }
        return value
    }
}
