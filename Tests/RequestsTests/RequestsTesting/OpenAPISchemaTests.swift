import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("OpenAPI schemas", .timeLimit(.minutes(5)))
struct OpenAPISchemaTests {
    private func contract(_ schema: String, components: String = "{}") throws -> OpenAPI {
        try OpenAPI(
            json: Data(
                #"""
                {"openapi": "3.0.3", "components": {"schemas": \#(components)}, "paths": {"/a": {"post": {"requestBody":
                 {"content": {"application/json": {"schema": \#(schema)}}}}}}}
                """#.utf8
            )
        )
    }

    private func violations(_ body: String, _ contract: OpenAPI) throws -> [String] {
        let request = try PreparedRequest(
            method: .post,
            url: RequestURL("https://h/a"),
            header: [.contentType(.json)],
            body: .data(Data(body.utf8))
        )
        return contract.violations(of: request).map(\.description)
    }

    @Test(
        "each keyword accepts and rejects values",
        arguments: [
            (#"{"type": "string", "nullable": true}"#, "null", "1"), (#"{"type": "integer"}"#, "1.0", "1.5"),
            (#"{"type": "number"}"#, "1", "true"), (#"{"enum": ["a", 1]}"#, "1.0", "\"b\""),
            (#"{"const": {"a": [1]}}"#, #"{"a":[1]}"#, "1"),
            (#"{"minimum": 1, "exclusiveMinimum": true}"#, "2", "1"), (#"{"exclusiveMinimum": 1}"#, "1.1", "1"),
            (#"{"maximum": 1, "exclusiveMaximum": true}"#, "0", "1"), (#"{"exclusiveMaximum": 1}"#, "0.9", "1"),
            (#"{"multipleOf": 0.1}"#, "0.3", "0.35"), (#"{"format": "int32"}"#, "-2147483648", "2147483648"),
            (#"{"minLength": 2}"#, "\"🦊a\"", "\"🦊\""), (#"{"maxLength": 1}"#, "\"🦊\"", "\"ab\""),
            (#"{"pattern": "^[a-z]+-\\d$"}"#, "\"ab-1\"", "\"ab-12\""), (#"{"pattern": "b"}"#, "\"abc\"", "\"a\""),
            (#"{"format": "date-time"}"#, "\"2024-02-29T12:00:00.5Z\"", "\"2024-02-29\""),
            (#"{"format": "date"}"#, "\"2024-02-29\"", "\"29.2.2024\""), (#"{"format": "email"}"#, "\"a@b\"", "\"a@\""),
            (#"{"format": "uri"}"#, "\"https://h/\"", "\"/a\""), (#"{"format": "byte"}"#, "\"YQ==\"", "\"a\""),
            (#"{"minItems": 1, "uniqueItems": true}"#, "[1, 2]", "[1, 1]"), (#"{"maxItems": 1}"#, "[1]", "[1, 2]"),
            (#"{"items": {"type": "integer"}}"#, "[1]", "[\"a\"]"), (#"{"minProperties": 1}"#, #"{"a": 1}"#, "{}"),
            (#"{"prefixItems": [{"type": "integer"}], "items": false}"#, "[1]", "[1, 2]"),
            (#"{"additionalProperties": {"type": "integer"}}"#, #"{"a": 1}"#, #"{"a": "b"}"#),
            (#"{"maxProperties": 1}"#, #"{"a": 1}"#, #"{"a": 1, "b": 2}"#),
            (#"{"not": {"type": "string"}}"#, "1", "\"a\""),
            (#"{"allOf": [{"minimum": 1}, {"maximum": 3}]}"#, "2", "4"),
            (#"{"anyOf": [{"type": "string"}, {"minimum": 3}]}"#, "4", "2"),
            (#"{"oneOf": [{"minimum": 1}, {"minimum": 3}]}"#, "2", "4"), ("{}", "null", nil), ("true", "1", nil),
        ] as [(String, String, String?)]
    )
    func keywords(_ schema: String, _ valid: String, _ invalid: String?) throws {
        let contract = try contract(schema)
        #expect(contract.unchecked == [])
        #expect(try violations(valid, contract) == [])
        if let invalid { #expect(try violations(invalid, contract).count == 1, "\(schema)") }
    }

    @Test("a schema can refer to itself, and a circle of references is reported")
    func circles() throws {
        let tree = ##"{"Tree": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Tree"}}}}"##
        let contract = try contract(##"{"$ref": "#/components/schemas/Tree"}"##, components: tree)
        #expect(
            try violations(#"{"next": {"next": {"next": 1}}}"#, contract) == [
                "body.next.next.next is a number, not object"
            ]
        )
        let circle = ##"{"A": {"allOf": [{"$ref": "#/components/schemas/A"}]}}"##
        let endless = try self.contract(##"{"$ref": "#/components/schemas/A"}"##, components: circle)
        #expect(try violations("1", endless) == ["body isn't checked, because its schema refers to itself"])
    }

    @Test("unchecked keywords and formats are listed")
    func unchecked() throws {
        let schema = #"""
            {"type": "object", "title": "T", "x-own": 1, "patternProperties": {"^a": {"format": "hostname"}},
             "properties": {"if": {"type": "string", "example": {"unknown": 1}}, "b": {"if": {}, "$ref": "other.json#/b"}}}
            """#
        #expect(try contract(schema).unchecked == ["external $ref", "format: hostname", "if", "patternProperties"])
    }

    @Test("1,000 requests are checked against 500 operations")
    func manyOperations() throws {
        let user = #"{"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}"#
        let operations = (0..<500).map { index in
            #""/group\#(index % 20)/{id}/item\#(index)": {"post": {"requestBody": {"content": {"application/json": {"schema": "#
                + #"{"type": "array", "items": \#(user)}}}}, "parameters": [{"name": "id", "in": "path", "schema": {}}]}}"#
        }
        let contract = try OpenAPI(
            json: Data(#"{"openapi": "3.1.0", "paths": {\#(operations.joined(separator: ","))}}"#.utf8)
        )
        var count = 0
        for index in 0..<1000 {
            let url = "https://h/group\(index % 20)/\(index)/item\(index % 500)"
            let name = index.isMultiple(of: 2) ? "\"Ada\"" : "7"
            let request = try PreparedRequest(
                method: .post,
                url: RequestURL(url),
                header: [.contentType(.json)],
                body: .data(Data("[{\"name\": \(name)}, {\"name\": \"Bob\"}]".utf8))
            )
            count += contract.violations(of: request).count
        }
        #expect(count == 500)
    }
}
