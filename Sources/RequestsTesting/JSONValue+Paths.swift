import Requests

extension JSONValue {
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
    func paths(differingFrom other: JSONValue) -> [String] {
        switch (self, other) {
        case (.object(let left), .object(let right)):
            Set(left.map(\.key)).union(right.map(\.key)).sorted()
                .flatMap { JSONValue.paths(left[$0], right[$0], under: $0) }
        case (.array(let left), .array(let right)):
            (0..<max(left.count, right.count)).flatMap { index in
                JSONValue.paths(
                    left.indices.contains(index) ? left[index] : nil,
                    right.indices.contains(index) ? right[index] : nil,
                    under: String(index)
                )
            }
        // Parsing reads 1.0 as an integer, but a Swift literal is a number.
        case (.integer(let left), .number(let right)): Double(left) == right ? [] : [""]
        default: self == other ? [] : [""]
        }
    }

    private static func paths(_ left: JSONValue?, _ right: JSONValue?, under key: String) -> [String] {
        guard let left, let right else { return [key] }
        return left.paths(differingFrom: right).map { $0.isEmpty ? key : "\(key).\($0)" }
    }
}
