extension JSONValue {
    /// The elements of an array.
    public struct Elements: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
        fileprivate let storage: Storage

        /// Creates an array.
        public init(_ elements: [JSONValue]) {
            storage = Storage(elements, [:])
        }

        /// Creates an array.
        public init(arrayLiteral elements: JSONValue...) {
            self.init(elements)
        }

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
    public struct Members: Collection, ExpressibleByDictionaryLiteral, Sendable {
        fileprivate let storage: Storage

        /// Creates an object.
        public init(_ members: [String: JSONValue]) {
            storage = Storage([], members)
        }

        /// Creates an object. If a name repeats, the last member is used.
        public init(dictionaryLiteral elements: (String, JSONValue)...) {
            self.init(Dictionary(elements) { $1 })
        }

        /// The members as a dictionary.
        public var values: [String: JSONValue] { storage.members }
        /// The position of the first member.
        public var startIndex: Dictionary<String, JSONValue>.Index { storage.members.startIndex }
        /// The position after the last member.
        public var endIndex: Dictionary<String, JSONValue>.Index { storage.members.endIndex }
        /// Returns the position after another one.
        public func index(after index: Dictionary<String, JSONValue>.Index) -> Dictionary<String, JSONValue>.Index {
            storage.members.index(after: index)
        }
        /// The member at a position.
        public subscript(position: Dictionary<String, JSONValue>.Index) -> (key: String, value: JSONValue) {
            storage.members[position]
        }
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
            for value in elements { pending += value.storage.map { [$0] } ?? [] }
            for value in members.values { pending += value.storage.map { [$0] } ?? [] }
            (elements, members) = ([], [:])
        }
    }

    private var storage: Storage? {
        switch self {
        case .array(let elements): elements.storage
        case .object(let members): members.storage
        case .null, .bool, .integer, .number, .string: nil
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
            case (.number(let left), .number(let right)): guard left == right else { return false }
            case (.string(let left), .string(let right)): guard left == right else { return false }
            case (.array(let left), .array(let right)):
                guard left.count == right.count else { return false }
                if left.storage !== right.storage { pending += Array(zip(left, right)) }
            case (.object(let left), .object(let right)):
                guard left.count == right.count else { return false }
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

    /// Hashes the first levels of the value.
    public func hash(into hasher: inout Hasher) {
        hash(into: &hasher, levels: 4)
    }

    private func hash(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let elements):
            hasher.combine(elements.count)
            if levels > 0 { for element in elements { element.hash(into: &hasher, levels: levels - 1) } }
        case .object(let members):
            // The names in any order are enough.
            hasher.combine(members.values.keys.reduce(0) { $0 ^ $1.hashValue })
        }
    }
}

extension JSONValue.Elements: Hashable, CustomStringConvertible {
    /// Compares the elements.
    public static func == (lhs: Self, rhs: Self) -> Bool { JSONValue.array(lhs) == .array(rhs) }

    /// Hashes the elements.
    public func hash(into hasher: inout Hasher) { JSONValue.array(self).hash(into: &hasher) }

    /// The elements as JSON.
    public var description: String { JSONValue.array(self).description }
}

extension JSONValue.Members: Hashable, CustomStringConvertible {
    /// Compares the members.
    public static func == (lhs: Self, rhs: Self) -> Bool { JSONValue.object(lhs) == .object(rhs) }

    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { JSONValue.object(self).hash(into: &hasher) }

    /// The members as JSON.
    public var description: String { JSONValue.object(self).description }
}
