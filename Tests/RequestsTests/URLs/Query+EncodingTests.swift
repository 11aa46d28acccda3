import Requests
import Testing

@Suite("Encoding of values as queries", .timeLimit(.minutes(5)))
struct QueryEncodingTests {
    private struct Search: Encodable {
        struct User: Encodable {
            var name: String
            var homeURL: URL?
        }

        var text = "a b"
        var tags = ["x", "y"]
        var perPage: Int?
        var isExact = true
        var since = Date(timeIntervalSince1970: 784_111_777.25)
        var user = User(name: "Ada", homeURL: URL(string: "https://h/?a=b"))
    }

    private func text(_ value: some Encodable, _ change: (inout Query.Style) -> Void = { _ in }) throws -> String {
        var style = Query.Style()
        change(&style)
        return try Query.encoding(value, style: style).items
            .map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }.joined(separator: "&")
    }

    @Test("the default style is the one that most servers read")
    func defaults() throws {
        #expect(
            try text(Search()) == "text=a b&tags=x&tags=y&isExact=true&since=1994-11-06T08:49:37Z"
                + "&user[name]=Ada&user[homeURL]=https://h/?a=b"
        )
    }

    @Test(
        "array elements are named in the chosen style",
        arguments: [
            (Query.Style.Arrays.brackets, "a[]=1&a[]=2"), (.repeated, "a=1&a=2"), (.indexed, "a[0]=1&a[1]=2"),
            (.commaSeparated, "a=1,2"),
        ]
    )
    func arrays(arrays: Query.Style.Arrays, expected: String) throws {
        #expect(try text(["a": [1, 2]]) { $0.arrays = arrays } == expected)
        #expect(try text(["a": [Int]()]) { $0.arrays = arrays } == "")
    }

    @Test("Booleans and dates are written in the chosen style")
    func scalars() throws {
        let date = ["d": Date(timeIntervalSince1970: 1.5)]
        #expect(try text(["a": true, "b": false]) == "a=true&b=false")
        #expect(try text(date) { $0.dates = .seconds } == "d=1")
        #expect(try text(date) { $0.dates = .milliseconds } == "d=1500")
    }

    @Test(
        "nil is left out, or written as an empty value or a name",
        arguments: [(Query.Style.Nils.dropped, "c=1,2"), (.empty, "a=&b=&c=1,,2"), (.nameOnly, "a&b&c=1,,2")]
    )
    func nils(nils: Query.Style.Nils, expected: String) throws {
        struct Value: Encodable {
            var a: Int?
            var b: Date?
            var c: [Int?] = [1, nil, 2]
        }
        #expect(try text(Value()) { ($0.nils, $0.arrays) = (nils, .commaSeparated) } == expected)
    }

    @Test(
        "keys are converted to snake case",
        arguments: [
            ("perPage", "per_page"), ("userID", "user_id"), ("URLText", "url_text"), ("a", "a"), ("aB", "a_b"),
            ("already_there", "already_there"), ("page2", "page2"), ("", ""),
        ]
    )
    func snakeCase(key: String, expected: String) throws {
        #expect(try text(Named(name: key)) { $0.keys = .snakeCase } == "\(expected)=1")
    }

    /// A type with one key.
    private struct Named: Encodable {
        private struct Key: CodingKey {
            let stringValue: String
            let intValue: Int? = nil

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        let name: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: Key(stringValue: name))
        }
    }

    private struct Filter: Encodable {
        enum Column: String, Encodable, CodingKeyRepresentable { case createdAt }

        /// Encodes its dictionary as itself.
        struct Members: Encodable {
            var values: [String: Int]
            func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
        }

        var byColumn: [String: Int] = ["orderID": 1]
        var nestedValues = ["aB": ["cD": [["eF": 2]]]]
        var namedItems = ["gH": Search.User(name: "Ada", homeURL: URL(string: "https://h"))]
        var rawKeys: [Column: Int] = [.createdAt: 3]
        var ownMembers = Members(values: ["zZ": 5, "iJ": 4])
        var maybeValues: [String: Int?]? = ["kL": 6]
    }

    @Test("a dictionary's keys are data, so snake case doesn't change them, at any depth")
    func dictionaryKeys() throws {
        #expect(
            try text(Filter()) { $0.keys = .snakeCase } == "by_column[orderID]=1&nested_values[aB][cD][eF]=2"
                + "&named_items[gH][name]=Ada&named_items[gH][home_url]=https://h&raw_keys[createdAt]=3"
                + "&own_members[iJ]=4&own_members[zZ]=5&maybe_values[kL]=6"
        )
        #expect(try text(["orderID": 1]) { $0.keys = .snakeCase } == "orderID=1")
        #expect(try text([7: "aB"]) { $0.keys = .snakeCase } == "7=aB")
        let json: JSONValue = ["orderID": ["itemID": 1]]
        #expect(try text(json) { $0.keys = .snakeCase } == "orderID[itemID]=1")
        var style = Query.Style()
        style.keys = .snakeCase
        var header = Header.empty
        let body = try BodyProvider.form(encoded: ["orderID": Filter.Members(values: ["aB": 1])], style: style)
            .body(updating: &header)
        #expect(body == .data(Data("orderID%5BaB%5D=1".utf8)))
    }

    @Test("members of nested values are named with brackets, also in arrays")
    func nesting() throws {
        let value = ["a": ["b": [["c": 1]]]]
        #expect(try text(value) == "a[b][c]=1")
        #expect(try text(value) { $0.arrays = .indexed } == "a[b][0][c]=1")
    }

    @Test("a closure changes each item, by the path of its value, or leaves it out")
    func transform() throws {
        let value = ["a": ["b": [["c": 1], ["c": 2]]]]
        #expect(
            try text(value) {
                $0.transform = { item, path in
                    item.value == "2" ? nil : URLQueryItem(name: path.joined(separator: "."), value: item.value)
                }
            } == "a.b.0.c=1"
        )
        let changed = try text(Named(name: "isOn")) {
            $0.keys = .snakeCase
            $0.transform = { item, _ in URLQueryItem(name: item.name, value: item.value == "1" ? "yes" : "no") }
        }
        #expect(changed == "is_on=yes")
    }

    @Test("items are in the order of declaration, and those of a dictionary sorted by name")
    func order() throws {
        struct Value: Encodable {
            var b = [2, 1]
            var a = 3
        }
        #expect(try text(Value()) == "b=2&b=1&a=3")
        let names = (0..<50).map { "k\($0)" }
        #expect(
            try Query.encoding(Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })).items.map(\.name)
                == names.sorted()
        )
    }

    @Test("numbers of every type are written as in Swift, and a number that isn't finite throws")
    func numbers() throws {
        struct Value: Encodable {
            var a: UInt64 = .max
            var b: Int8 = -1
            var c = 0.1
            var d: Float = 0.1
            var e = 2.0
            var f = Decimal(string: "1.10")
            var g = Data([1, 2])
        }
        #expect(try text(Value()) == "a=18446744073709551615&b=-1&c=0.1&d=0.1&e=2&f=1.1&g=AQI=")
        #expect(throws: EncodingError.self) { try text(["a": Double.nan]) }
        #expect(throws: EncodingError.self) { try text(["a": [Float.infinity]]) }
    }

    @Test("a value without a name throws, and so does a nested value in a comma-separated array")
    func refusals() {
        #expect(throws: EncodingError.self) { try text(7) }
        #expect(throws: EncodingError.self) { try text([1, 2]) }
        #expect(throws: EncodingError.self) { try text(["a": [["b": 1]]]) { $0.arrays = .commaSeparated } }
    }

    @Test("a custom `encode(to:)` may use nested containers and a superclass")
    func customEncoding() throws {
        class Base: Encodable { var a = 1 }
        final class Derived: Base {
            enum Keys: CodingKey { case list, inner, x }

            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try super.encode(to: container.superEncoder())
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode("p")
                try list.encodeNil()
                var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
                try inner.encode(Optional("q"), forKey: .x)
            }
        }
        #expect(try text(Derived()) == "super[a]=1&list=p&inner[x]=q")
    }

    @Test("a value can be encoded as a form, and every build throws an encoding error")
    func form() throws {
        var header = Header.empty
        let body = try BodyProvider.form(encoded: ["a": "b c", "d": "ü&"]).body(updating: &header)
        #expect(body == .data(Data("a=b+c&d=%C3%BC%26".utf8)))
        #expect(header == [.contentType(.urlEncodedForm)])
        #expect(throws: EncodingError.self) { try BodyProvider.form(encoded: [1]).body(updating: &header) }
    }

    @Test("an encoding error contains the path of the element")
    func faultyElement() throws {
        let error = #expect(throws: EncodingError.self) { try text(["a": [.nan, 1]]) }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect(context.codingPath.map(\.intValue) == [nil, 0])
    }
}
