import Requests

/// A tree of strings, lists and objects that can be parsed from names such as `a[b][0]`.
indirect enum QueryValue: Equatable {
    struct Member: Equatable {
        var key: [UInt8]
        var value: QueryValue
    }

    case null
    case text([UInt8])
    case list([QueryValue])
    case object([Member])
}

extension QueryValue: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .text(let bytes):
            var container = encoder.singleValueContainer()
            try container.encode(String(decoding: bytes, as: UTF8.self))
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: Key.self)
            for member in members {
                try container.encode(
                    member.value,
                    forKey: Key(stringValue: String(decoding: member.key, as: UTF8.self))
                )
            }
        }
    }
}

extension QueryValue {
    /// A notation for nested names.
    struct Notation: CustomStringConvertible, Sendable {
        enum Arrays: String, CaseIterable { case brackets, repeated, indexed, commaSeparated }

        var arrays: Arrays
        var description: String { "\(arrays.rawValue) arrays" }

        var style: Query.Style {
            var style = Query.Style()
            style.nils = .nameOnly
            style.arrays =
                switch arrays {
                case .brackets: .brackets
                case .repeated: .repeated
                case .indexed: .indexed
                case .commaSeparated: .commaSeparated
                }
            return style
        }
    }

    /// Parses items without knowing the type, as servers do.
    init(reading items: [FormReader.Item], _ notation: Notation) {
        self = .object([])
        for item in items {
            var leaf = item.value.map { QueryValue.text($0) } ?? .null
            if notation.arrays == .commaSeparated, let value = item.value, value.contains(UInt8(ascii: ",")) {
                let texts = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                leaf = .list(texts.map { .text(Array($0)) })
            }
            var place: QueryValue? = self
            QueryValue.insert(leaf, at: QueryValue.steps(in: item.name)[...], in: &place, notation)
            self = place ?? .null
        }
    }

    /// Splits a name: `a[b][]` into `a`, `b` and an empty step.
    private static func steps(in name: [UInt8]) -> [[UInt8]] {
        name.split(separator: UInt8(ascii: "["), omittingEmptySubsequences: false).enumerated()
            .map { index, step in Array(index > 0 && step.last == UInt8(ascii: "]") ? step.dropLast() : step) }
    }

    private static func insert(
        _ leaf: QueryValue,
        at steps: ArraySlice<[UInt8]>,
        in place: inout QueryValue?,
        _ notation: Notation
    ) {
        guard let step = steps.first else {
            // A repeated name turns a single value into a list.
            place =
                switch place {
                case nil: leaf
                case .list(let elements): .list(elements + [leaf])
                case let first?: .list([first, leaf])
                }
            return
        }
        let index = notation.arrays == .indexed ? Int(String(decoding: step, as: UTF8.self)) : nil
        if step.isEmpty || index != nil {
            var elements: [QueryValue] = []
            if case .list(let known) = place { elements = known }
            let position = min(index ?? elements.count, elements.count)
            var element = position < elements.count ? elements[position] : nil
            insert(leaf, at: steps.dropFirst(), in: &element, notation)
            elements.replaceSubrange(position..<min(position + 1, elements.count), with: [element ?? .null])
            place = .list(elements)
        } else {
            var members: [Member] = []
            if case .object(let known) = place { members = known }
            let position = members.firstIndex { $0.key == step } ?? members.count
            var value = position < members.count ? members[position].value : nil
            insert(leaf, at: steps.dropFirst(), in: &value, notation)
            members.replaceSubrange(
                position..<min(position + 1, members.count),
                with: [Member(key: step, value: value ?? .null)]
            )
            place = .object(members)
        }
    }
}
