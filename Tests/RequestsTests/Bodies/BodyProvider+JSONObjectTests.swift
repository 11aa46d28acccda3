import Requests
import Testing

@Suite("JSON object bodies", .timeLimit(.minutes(5)))
struct BodyProviderJSONObjectTests {
    private struct Pet: Encodable { var name: String }

    private func text(_ provider: BodyProvider) throws -> String {
        var header = Header.empty
        let body = try provider.body(updating: &header)
        #expect(header[.contentType] == "application/json")
        return String(decoding: try #require(body.data), as: UTF8.self)
    }

    @Test("an object may contain values of different types, and its members are sorted by name")
    func values() throws {
        let name: String? = "Ada"
        let missing: Int? = nil
        let nested: [String: (any Sendable)?] = ["x": 1, "a": [1, "b", nil] as [(any Sendable)?]]
        let body = BodyProvider.json(object: [
            "name": name, "age": 36, "tags": ["a", "b"], "missing": missing, "nothing": nil, "pet": Pet(name: "Rex"),
            "nested": nested, "rate": 0.5, "ok": true, "url": "a/b", "value": JSONValue.array([.null, .integer(1)]),
            "plain": ["k": "v"] as [String: any Sendable],
        ])
        #expect(
            try text(body)
                == #"{"age":36,"missing":null,"name":"Ada","nested":{"a":[1,"b",null],"x":1},"nothing":null,"#
                + #""ok":true,"pet":{"name":"Rex"},"plain":{"k":"v"},"rate":0.5,"tags":["a","b"],"url":"a/b","#
                + #""value":[null,1]}"#
        )
    }

    @Test("a literal may contain nested values of different types")
    func literal() throws {
        #expect(
            try text(.json(["user": ["name": "Ada", "age": 36], "tags": ["a", 1, nil]]))
                == #"{"tags":["a",1,null],"user":{"age":36,"name":"Ada"}}"#
        )
        #expect(try text(.json([["id": 1], "x"])) == #"[{"id":1},"x"]"#)
    }

    @Test("a value that can't be encoded makes every build throw an error that doesn't show the value")
    func invalid() {
        struct Opaque: Sendable { var password = "s3cret" }
        var header = Header.empty
        let provider = BodyProvider.json(object: ["a": Opaque()])
        for _ in 1...2 {
            let error = #expect(throws: EncodingError.self) { try provider.body(updating: &header) }
            let text = error.map { "\($0) \(String(reflecting: $0))" }
            #expect(text?.contains("Opaque") == true)
            #expect(text?.contains("s3cret") == false)
        }
        #expect(header.isEmpty)
    }
}
