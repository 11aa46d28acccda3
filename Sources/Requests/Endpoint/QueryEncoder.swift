import Foundation

/// Turns a value into a tree of texts.
struct QueryEncoder: Encoder {
    /// Where an encoder puts what it is given: shared by an encoder and its containers.
    final class Place {
        var tree: QueryTree?
        private var inner: [(key: String, place: Place)] = []
        private var isList = false

        /// A place for a member; one that is named again replaces the first.
        func member(_ key: String) -> Place {
            let place = Place()
            if let index = inner.firstIndex(where: { $0.key == key }) {
                inner[index].place = place
            } else {
                inner.append((key, place))
            }
            return place
        }

        func element() -> Place {
            let place = Place()
            inner.append(("", place))
            return place
        }

        var count: Int { inner.count }

        func becomeList() { isList = true }

        /// Puts the members in the order of their names.
        func sort() { inner.sort { $0.key < $1.key } }

        func finished() -> QueryTree {
            if let tree { return tree }
            if isList { return .list(inner.map { $0.place.finished() }) }
            return .object(inner.map { (key: $0.key, value: $0.place.finished()) })
        }
    }

    let place: Place
    let style: Query.Style
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    static func tree(of value: some Encodable, _ style: Query.Style) throws -> QueryTree {
        let place = Place()
        try QueryEncoder(place: place, style: style, codingPath: []).encode(value)
        return place.finished()
    }

    /// Encodes a value, those that have a text of their own as that.
    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let value as String: place.tree = .leaf(value)
        case let value as Bool: place.tree = .leaf(style.booleans.text(value))
        case let value as Date: place.tree = .leaf(style.dates.text(value))
        case let value as Data: place.tree = .leaf(value.base64EncodedString())
        case let value as URL: place.tree = .leaf(value.absoluteString)
        case let value as Decimal: place.tree = .leaf("\(value)")
        case let value as any BinaryInteger: place.tree = .leaf("\(value)")
        case let value as any BinaryFloatingPoint: place.tree = .leaf(try text(of: value))
        default:
            try value.encode(to: self)
            // A dictionary has another order each time the program runs.
            if Mirror(reflecting: value).displayStyle == .dictionary { place.sort() }
        }
    }

    private func text(of number: any BinaryFloatingPoint) throws -> String {
        guard number.isFinite else {
            let context = EncodingError.Context(codingPath: codingPath, debugDescription: "\(number) is not a number")
            throw EncodingError.invalidValue(number, context)
        }
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    func inner(_ place: Place, at key: some CodingKey) -> QueryEncoder {
        QueryEncoder(place: place, style: style, codingPath: codingPath + [key])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(QueryKeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        place.becomeList()
        return QueryUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        QuerySingleContainer(encoder: self)
    }
}
