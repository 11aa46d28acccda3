extension JSONValue {
    /// The elements of an array.
    public struct Elements: RandomAccessCollection, Sendable {
        fileprivate let storage: Storage

        /// Creates an array.
        public init(_ elements: [JSONValue]) {
            storage = Storage(elements, [:])
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
    public struct Members: Sequence, Sendable {
        fileprivate let storage: Storage

        /// Creates an object.
        public init(_ members: [String: JSONValue]) {
            storage = Storage([], members)
        }

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
