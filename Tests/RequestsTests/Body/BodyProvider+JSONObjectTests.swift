import Foundation
import Requests
import Testing

@Suite("A body of a JSON object")
struct BodyProviderJSONObjectTests {
    private struct Pet: Encodable { var name: String }

    private func text(_ provider: BodyProvider) throws -> String {
        var header = Header.empty
        let body = try provider.body(updating: &header)
        #expect(header[.contentType] == "application/json")
        return String(decoding: try #require(body.data), as: UTF8.self)
    }

    @Test("holds values of different types, members in the order of their names")
    func values() throws {
        let name: String? = "Ada"
        let missing: Int? = nil
        let nested: [String: (any Sendable)?] = ["x": 1, "a": [1, "b", nil] as [(any Sendable)?]]
        let body = BodyProvider.json([
            "name": name, "age": 36, "tags": ["a", "b"], "missing": missing, "nothing": nil, "pet": Pet(name: "Rex"),
            "nested": nested, "rate": 0.5, "ok": true, "url": "a/b", "value": JSONValue.array([.null, .integer(1)]),
            "plain": ["k": "v"] as [String: any Sendable],
        ])
        #expect(
            try text(body)
                == #"{"age":36,"missing":null,"name":"Ada","nested":{"a":[1,"b",null],"x":1},"nothing":null,"#
                + #""ok":true,"pet":{"name":"Rex"},"plain":{"k":"v"},"rate":0.5,"tags":["a","b"],"url":"a/b","value":[null,1]}"#
        )
    }

    @Test("that holds what is no JSON is an error of each build")
    func invalid() {
        struct Opaque: Sendable {}
        var header = Header.empty
        let provider = BodyProvider.json(["a": Opaque()])
        for _ in 1...2 {
            #expect(throws: EncodingError.self) { try provider.body(updating: &header) }
        }
        #expect(header.isEmpty)
    }
}
