import Requests
import Testing

@Suite("Queries", .timeLimit(.minutes(5)))
struct QueryTests {
    private let api = BaseURL("https://api.example.com")

    private func query(_ query: Query) throws -> String? {
        try api.get(.data, from: "/").with(query: query).prepared().url.query
    }

    @Test(
        "everything but RFC 3986's unreserved characters is encoded in names and values",
        arguments: [
            ("a+b", "a%2Bb"), ("a;b", "a%3Bb"), ("a&b", "a%26b"), ("a=b", "a%3Db"), ("a/b?c", "a%2Fb%3Fc"),
            ("a b", "a%20b"),
            ("a#b", "a%23b"), ("%41", "%2541"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"), ("a\r\nb", "a%0D%0Ab"),
            ("[0]", "%5B0%5D"),
            ("a@b:c,d!$'()*", "a%40b%3Ac%2Cd%21%24%27%28%29%2A"), ("aZ09-._~", "aZ09-._~"), ("\0", "%00"),
            ("\u{7F}", "%7F"),
        ]
    )
    func encoding(text: String, encoded: String) throws {
        #expect(try query([text: text]) == "\(encoded)=\(encoded)")
    }

    @Test("nil in a dictionary literal leaves the item out, and an empty value gives `name=`")
    func absentValues() throws {
        #expect(try query(["flag": nil]) == nil)
        #expect(try query(["flag": ""]) == "flag=")
        #expect(try query(["a": nil, "b": "", "": nil, "": "", "c": "1"]) == "b=&=&c=1")
        let (page, term): (Int?, String?) = (nil, nil)
        #expect(try query(["page": page, "q": term, "n": 1]) == "n=1")
    }

    private enum Sorting: String, Query.Values { case newest, oldest }

    private struct Money: Query.Values {
        let cents: Int
        var queryValues: [String] { ["\(cents / 100).\(cents % 100)"] }
    }

    @Test("an array in a dictionary literal repeats the name, and an empty or absent array leaves the item out")
    func arrays() throws {
        let (ids, none, absent): ([Int], [String], [Bool]?) = ([1, 2], [], nil)
        #expect(try query(["q": "x", "tag": ["a", "b"], "page": nil]) == "q=x&tag=a&tag=b")
        #expect(try query(["id": ids, "none": none, "absent": absent, "n": [1.5]]) == "id=1&id=2&n=1.5")
        #expect(try query(["by": [Sorting.newest, .oldest]]) == "by=newest&by=oldest")
    }

    @Test(
        "a number is written as JSON writes it, in a literal and as a part of an Encodable value",
        arguments: [0, 1, -0.0, 0.1, 1e-5, 1e15, 1e16, -2.50, 123_456_789, .greatestFiniteMagnitude] as [Double]
    )
    func numbers(number: Double) throws {
        let (double, float) = try (
            String(decoding: JSONEncoder().encode(number), as: UTF8.self),
            String(decoding: JSONEncoder().encode(Float(0.1)), as: UTF8.self)
        )
        #expect(try Query.encoding(["n": number]) == ["n": number])
        #expect(Query(dictionaryLiteral: ("n", number), ("a", [number])).items.map(\.value) == [double, double])
        #expect(Query(dictionaryLiteral: ("f", Float(0.1))).items.map(\.value) == [float])
        #expect(Rating(rawValue: number).queryValues == [double])
    }

    private struct Rating: RawRepresentable, Query.Values { let rawValue: Double }

    @Test("a value in a dictionary literal may have any type with a single string form")
    func types() throws {
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let query: Query = [
            "a": "abc".prefix(2), "b": Character("c"), "c": false, "d": UInt8.max, "e": Float(0.5),
            "f": Decimal(string: "1.10"), "g": uuid, "h": URL("https://h/?a=b"), "i": Sorting.oldest,
            "j": Money(cents: 1250), "k": Int64.min, "l": Sorting(rawValue: "none"),
        ]
        let values = [
            "ab", "c", "false", "255", "0.5", "1.1", uuid.uuidString, "https://h/?a=b", "oldest", "12.50",
            "-9223372036854775808",
        ]
        #expect(query.items.map(\.value) == values)
    }

    @Test("a URLQueryItem without a value gives `name`, one with an empty value `name=`")
    func itemsWithoutValues() throws {
        let items = [URLQueryItem(name: "a", value: nil), URLQueryItem(name: "b", value: "")]
        #expect(try query(Query(items)) == "a&b=")
        #expect(try query([URLQueryItem(name: "a", value: nil)]) == "a")
        #expect(try api.get(.data, from: "/").with(query: items).prepared().url.query == "a&b=")
    }

    @Test("the order of items and repeated names are kept")
    func order() throws {
        #expect(try query(["z": "1", "a": "2", "z": "3", "Z": "4", "z": "1"]) == "z=1&a=2&z=3&Z=4&z=1")
        let items = (0..<100).map { URLQueryItem(name: "k", value: String($0)) }
        #expect(try query(Query(items)) == (0..<100).map { "k=\($0)" }.joined(separator: "&"))
    }

    @Test("a query can be created from a dictionary literal with mixed values, an array literal and items")
    func making() throws {
        let limit: Int? = 30
        let none: Int? = nil
        let query: Query = ["query": "alex", "limit": limit, "ratio": 1.5, "verbose": true, "none": none]
        #expect(try self.query(query) == "query=alex&limit=30&ratio=1.5&verbose=true")
        let item = URLQueryItem(name: "a", value: "1")
        #expect(Query([item]) == [item])
        #expect(Query() == [])
        #expect(try self.query([]) == nil)
    }

    @Test("decoded names and values equal the original ones")
    func roundTrip() throws {
        let texts = Array(HostileText(seed: 8, count: 20_002))
        let broken = try (0..<20_000).first { index in
            let items = [
                URLQueryItem(name: texts[index], value: texts[index + 1]),
                URLQueryItem(name: texts[index + 2], value: index % 3 == 0 ? nil : texts[index]),
            ]
            let query = try query(Query(items)) ?? ""
            let read = query.split(separator: "&", omittingEmptySubsequences: false).map { item in
                let parts = item.split(separator: "=", omittingEmptySubsequences: false).map {
                    PercentDecoder.bytes(of: $0)
                }
                return parts.count > 2 ? [] : parts
            }
            return read != items.map { item in [item.name, item.value].compactMap { $0.map { Array($0.utf8) } } }
        }
        #expect(broken.map { texts[$0...($0 + 2)] } == nil)
    }

    @Test("the description redacts the values of sensitive names")
    func description() {
        let query: Query = ["q": "alex", "access_token": "s3cret"]
        #expect(!"\(query)".contains("s3cret"))
        #expect(!String(reflecting: query).contains("s3cret"))
        #expect("\(query)".contains("alex"))
    }
}
