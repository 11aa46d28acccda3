import Foundation
import Requests
import Testing

@Suite("A query", .timeLimit(.minutes(5)))
struct QueryTests {
    private let api = AnonymousRequestProvider("https://api.example.com")

    private func query(_ query: Query) throws -> String? {
        try api.get(.data, from: "/").with(query: query).prepared().url.query
    }

    @Test(
        "names and values encode everything but RFC 3986 unreserved characters",
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

    @Test("nil gives `name`, an empty value `name=`")
    func absentValues() throws {
        #expect(try query(["flag": nil]) == "flag")
        #expect(try query(["flag": ""]) == "flag=")
        #expect(try query(["a": nil, "b": "", "": nil, "": "", "c": "1"]) == "a&b=&&=&c=1")
    }

    @Test("order and repeats are kept")
    func order() throws {
        #expect(try query(["z": "1", "a": "2", "z": "3", "Z": "4", "z": "1"]) == "z=1&a=2&z=3&Z=4&z=1")
        let items = (0..<100).map { URLQueryItem(name: "k", value: String($0)) }
        #expect(try query(Query(items)) == (0..<100).map { "k=\($0)" }.joined(separator: "&"))
    }

    @Test("can be made of a dictionary of any plain values, of an array and of items")
    func making() throws {
        let limit: Int? = 30
        let none: Int? = nil
        let query: Query = ["query": "alex", "limit": limit, "ratio": 1.5, "verbose": true, "none": none]
        #expect(try self.query(query) == "query=alex&limit=30&ratio=1.5&verbose=true&none")
        let item = URLQueryItem(name: "a", value: "1")
        #expect(Query([item]) == [item])
        #expect(Query() == [])
        #expect(try self.query([]) == nil)
    }

    @Test("decoded, names and values are what they were")
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

    @Test("its description hides the values of sensitive names")
    func description() {
        let query: Query = ["q": "alex", "access_token": "s3cret"]
        #expect(!"\(query)".contains("s3cret"))
        #expect(!String(reflecting: query).contains("s3cret"))
        #expect("\(query)".contains("alex"))
    }
}
