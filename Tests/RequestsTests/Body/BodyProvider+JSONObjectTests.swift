import Foundation
import Requests
import Testing

@Suite("A body of a JSON object", .timeLimit(.minutes(5)))
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

    @Test("can be nested, of different types, as a literal")
    func literal() throws {
        #expect(
            try text(.json(["user": ["name": "Ada", "age": 36], "tags": ["a", 1, nil]]))
                == #"{"tags":["a",1,null],"user":{"age":36,"name":"Ada"}}"#
        )
        #expect(try text(.json([["id": 1], "x"])) == #"[{"id":1},"x"]"#)
    }

    @Test("that holds what is no JSON is an error of each build, without the value")
    func invalid() {
        struct Opaque: Sendable { var password = "s3cret" }
        var header = Header.empty
        let provider = BodyProvider.json(["a": Opaque()])
        for _ in 1...2 {
            let error = #expect(throws: EncodingError.self) { try provider.body(updating: &header) }
            let text = error.map { "\($0) \(String(reflecting: $0))" }
            #expect(text?.contains("Opaque") == true)
            #expect(text?.contains("s3cret") == false)
        }
        #expect(header.isEmpty)
    }
}
