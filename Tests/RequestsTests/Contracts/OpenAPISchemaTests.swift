import Foundation
import RequestsContracts
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

    @Test(
        "formats and numbers are checked exactly",
        arguments: [
            (#"{"format": "date"}"#, "\"2000-02-29\"", "\"2024-02-30\""),
            (#"{"format": "date"}"#, "\"2023-12-31\"", "\"1900-02-29\""),
            (#"{"format": "date-time"}"#, "\"2024-01-31T23:59:60+02:00\"", "\"2024-01-31T00:00:00+0200\""),
            (#"{"format": "date-time"}"#, "\"2024-01-31t00:00:00.123456z\"", "\"2024-04-31T00:00:00Z\""),
            (#"{"format": "date-time"}"#, "\"2024-01-31T00:00:00-00:00\"", "\"2024-01-31T24:00:00Z\""),
            (#"{"format": "email"}"#, "\"a.b@c\"", "\"a b@c\""),
            (#"{"format": "uri"}"#, "\"urn:a:%C3%A9\"", "\"https://h/%zz\""),
            (#"{"format": "uri"}"#, "\"https://[::1]/?a=b#c\"", "\"https://h/a b\""),
            (
                #"{"format": "uuid"}"#, "\"0E8BB0A2-4f6c-4d0a-8b0e-6d5d6f0f2f8e\"",
                "\"0E8BB0A24f6c4d0a8b0e6d5d6f0f2f8e\""
            ),
            (#"{"format": "int64"}"#, "9223372036854775807", "9223372036854775808"),
            (#"{"format": "int32"}"#, "2147483647", "-2147483649"),
            (#"{"multipleOf": 10}"#, "1000000000", "1000000001"),
            (#"{"multipleOf": 0.01}"#, "1234567.89", "1234567.891"),
            (#"{"multipleOf": 3}"#, "9223372036854775806", "9223372036854775807"),
            (#"{"multipleOf": 1e-7}"#, "0.3", "1e-8"),
            (#"{"const": "\u00e9"}"#, "\"\\u00e9\"", "\"e\\u0301\""),
            (#"{"enum": [{"a": ["\u00e9"]}]}"#, "{\"a\": [\"\\u00e9\"]}", "{\"a\": [\"e\\u0301\"]}"),
            (
                #"{"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": false}"#, #"{"ab": 1}"#,
                #"{"b": 1}"#
            ),
            (#"{"patternProperties": {"^a": {"type": "integer"}}}"#, #"{"b": "x"}"#, #"{"ab": "x"}"#),
            (#"{"propertyNames": {"maxLength": 2}}"#, #"{"ab": 1}"#, #"{"abc": 1}"#),
        ]
    )
    func exactness(_ schema: String, _ valid: String, _ invalid: String) throws {
        let contract = try contract(schema)
        #expect(contract.unchecked == [])
        #expect(try violations(valid, contract) == [], "\(schema) \(valid)")
        #expect(try violations(invalid, contract).count == 1, "\(schema) \(invalid)")
    }

    @Test("null needs nullable and the enum in 3.0, and a type in 3.1")
    func nullability() throws {
        func found(_ schema: String, _ version: String) throws -> [String] {
            let document =
                #"{"openapi": "\#(version)", "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": \#(schema)}}}}}}}"#
            return try violations("null", OpenAPI(json: Data(document.utf8)))
        }
        let nullable = #"{"type": "string", "nullable": true}"#
        #expect(try found(nullable, "3.0.3") == [])
        #expect(try found(nullable, "3.1.0") == ["body is null, not string"])
        #expect(try found(#"{"type": ["string", "null"]}"#, "3.1.0") == [])
        let values = #"{"type": "string", "nullable": true, "enum": ["a"]}"#
        #expect(try found(values, "3.0.3") == ["body isn't one of the 1 values of its enum"])
        #expect(try found(#"{"type": "string", "nullable": true, "enum": ["a", null]}"#, "3.0.3") == [])
    }

    @Test("a read-only member is optional in requests, whichever schemas declare and require it")
    func readOnlyMembers() throws {
        let base = #"{"Base": {"type": "object", "properties": {"id": {"type": "integer", "readOnly": true}}}}"#
        let all = ##"{"allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["id", "name"]}]}"##
        let contract = try contract(all, components: base)
        #expect(try violations(#"{"name": "Ada"}"#, contract) == [])
        #expect(try violations(#"{"name": "Ada", "id": 1}"#, contract) == ["body.id is read-only"])
        #expect(try violations("{}", contract) == ["body.name is missing"])
        let either = try self.contract(##"{"oneOf": [\##(all), {"type": "integer"}]}"##, components: base)
        #expect(try violations(#"{"name": "Ada"}"#, either) == [])
    }

    @Test("references to anchors are followed, and references to nothing are reported and listed")
    func references() throws {
        let schemas = #"{"Named": {"$anchor": "name", "type": "string"}}"#
        let document = ##"""
            {"openapi": "3.1.0", "components": {"schemas": \##(schemas)}, "paths": {"/a": {"post": {"requestBody":
             {"content": {"application/json": {"schema": {"properties": {"a": {"$ref": "#name"}, "b": {"$ref": "#/none"}}}}}}}}}}
            """##
        let contract = try OpenAPI(json: Data(document.utf8))
        #expect(contract.unchecked == ["$ref: #/none"])
        #expect(try violations(#"{"a": "x"}"#, contract) == [])
        #expect(try violations(#"{"a": 1}"#, contract) == ["body.a is a number, not string"])
        #expect(
            try violations(#"{"b": 1}"#, contract)
                == ["body.b can't be checked: “#/none” isn't in the document"]
        )
    }

    @Test("keywords next to a reference count in 3.1 only")
    func siblings() throws {
        let schemas = #"{"Text": {"type": "string"}}"#
        let schema = ##"{"$ref": "#/components/schemas/Text", "maxLength": 1, "contains": {}}"##
        let old = try contract(schema, components: schemas)
        #expect(old.unchecked == [])
        #expect(try violations("\"ab\"", old) == [])
        let document =
            #"{"openapi": "3.1.0", "components": {"schemas": \#(schemas)}, "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": \#(schema)}}}}}}}"#
        let new = try OpenAPI(json: Data(document.utf8))
        #expect(new.unchecked == ["contains"])
        #expect(try violations("\"ab\"", new) == ["body has more than 1 characters"])
    }

    @Test("a pattern is compiled once, so many strings are checked quickly")
    func manyStrings() throws {
        let contract = try contract(#"{"items": {"pattern": "^(?:[a-z]{1,60}|[0-9]{1,60}){1,10}$"}}"#)
        let body = "[\(Array(repeating: "\"ab\"", count: 10_000).joined(separator: ","))]"
        #expect(try violations(body, contract) == [])
    }

    @Test(
        "the deepest JSON is checked with a small stack",
        arguments: [
            (##"{"items": {"$ref": "#/components/schemas/Tree"}}"##, 0),
            (##"{"allOf": [{"items": {"$ref": "#/components/schemas/Tree"}}]}"##, 1),
            (##"{"anyOf": [{"oneOf": [{"items": {"$ref": "#/components/schemas/Tree"}}]}]}"##, 1),
        ]
    )
    func smallStack(_ schema: String, _ limit: Int) async throws {
        let contract = try contract(##"{"$ref": "#/components/schemas/Tree"}"##, components: #"{"Tree": \#(schema)}"#)
        let body = String(repeating: "[", count: 99) + String(repeating: "]", count: 99)
        let count: Int = try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try violations(body, contract).count }) }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(count <= limit)
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
        #expect(try violations("1", endless) == ["body can't be checked, because its schema refers to itself"])
        let twice = ##"{"A": {"allOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/A"}]}}"##
        let both = try self.contract(##"{"$ref": "#/components/schemas/A"}"##, components: twice)
        #expect(try violations("1", both) == ["body can't be checked, because its schema refers to itself"])
    }

    @Test("a recursive schema with many ways to each value is checked once for each value")
    func recursion() throws {
        let next = ##"{"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}"##
        let node = #"{"Node": {"oneOf": [{"type": "integer"}, \#(next), {"allOf": [{"required": ["x"]}, \#(next)]}]}}"#
        let contract = try contract(##"{"$ref": "#/components/schemas/Node"}"##, components: node)
        let depth = 30
        func body(_ end: String) -> String {
            String(repeating: #"{"next": "#, count: depth) + end + String(repeating: "}", count: depth)
        }
        #expect(try violations(body("7"), contract) == [])
        #expect(try violations(body("\"a\""), contract).count == 1)
        let names = (0..<40).map { ##""S\##($0)": {"allOf": [\##(reference($0 + 1)), \##(reference($0 + 1))]}"## }
        let chain = try self.contract(
            reference(0),
            components: "{\(names.joined(separator: ",")), \"S40\": {\"type\": \"null\"}}"
        )
        #expect(try violations("1", chain) == ["body is a number, not null"])
    }

    private func reference(_ number: Int) -> String { ##"{"$ref": "#/components/schemas/S\##(number)"}"## }

    @Test("equal places of different values are told apart")
    func places() throws {
        let leaf = #"{"Leaf": {"type": "integer"}}"#
        let properties = ##"{"b": {"$ref": "#/components/schemas/Leaf"}}"##
        let schema = ##"""
            {"properties": {"a": {"properties": \##(properties)}, "a.b": {"$ref": "#/components/schemas/Leaf"}}}
            """##
        let contract = try contract(schema, components: leaf)
        #expect(try violations(#"{"a": {"b": 1}, "a.b": "x"}"#, contract) == ["body.a.b is a string, not integer"])
        #expect(try violations(#"{"a": {"b": "x"}, "a.b": 1}"#, contract) == ["body.a.b is a string, not integer"])
    }

    @Test("a body can be nested as deeply as JSON can, and a schema that is nested too deeply is reported")
    func depth() throws {
        let tree = ##"{"Tree": {"items": {"$ref": "#/components/schemas/Tree"}}}"##
        let contract = try contract(##"{"$ref": "#/components/schemas/Tree"}"##, components: tree)
        let body = String(repeating: "[", count: 90) + String(repeating: "]", count: 90)
        #expect(try violations(body, contract) == [])
        let chain = (0..<400).map { ##""S\##($0)": {"allOf": [\##(reference($0 + 1))]}"## }.joined(separator: ",")
        let deep = try self.contract(reference(0), components: "{\(chain), \"S400\": {}}")
        #expect(try violations("1", deep).map { $0.suffix(43) } == ["because it is nested too deeply; flatten it"])
    }

    @Test(
        "a pattern matches as in ECMA-262",
        arguments: [
            ("^(a+)+$", String(repeating: "a", count: 60), String(repeating: "a", count: 60) + "!"),
            ("^(a|a)*(b*)*$", String(repeating: "a", count: 60), String(repeating: "a", count: 60) + "!"),
            ("(?:x|ab){2,3}?$", "abx", "ab"), ("^a{2}$", "aa", "aaa"), ("^a{2,}$", "aaa", "a"),
            ("a{,2}", "a{,2}", "aa"),
            ("^[^a-c\\d]$", "x", "2"), ("^[\\]-]$", "-", "a"), ("^[\\s\\S]$", "\n", ""), ("^.$", "🦊", "\n"),
            ("^\\w+\\.\\W$", "a_1.-", "a1.b"), ("\\u00e9|\\x41", "é", "e"), ("^(|a)$", "", "b"),
            ("^(AF|AL|DZ)?$", "DZ", "D"),
            ("^\\$\\{", "${", "$"), ("a^b|c", "c", "ab"), ("^(?:()|b)*$", "bb", "c"), ("^[\\D]$", "x", "1"),
            ("[]", nil, "a"), ("^[^\\W_]+$", "ab1", "a_b"), ("^[^\\D]$", "1", "x"), ("[^\\s\\S]", nil, "a"),
        ] as [(String, String?, String)]
    )
    func patterns(_ pattern: String, _ matching: String?, _ other: String) throws {
        let schema = JSONValue.object(["pattern": .string(pattern)])
        let contract = try contract(schema.description)
        #expect(contract.unchecked == [])
        if let matching { #expect(try violations(JSONValue.string(matching).description, contract) == []) }
        #expect(try violations(JSONValue.string(other).description, contract).count == 1)
    }

    @Test(
        "a pattern with an unsupported feature is listed, and not checked",
        arguments: [
            "(?=a)", "(?<!a)b", "(?<name>a)", "(a)\\1", "\\bword", "\\p{L}", "a**", "(a", "a)", "[a", "[b-a]", "a{3,2}",
            "\\",
            "(a{1000}){1000}", "\\ud83d",
        ]
    )
    func unsupportedPatterns(_ pattern: String) throws {
        let contract = try contract(JSONValue.object(["pattern": .string(pattern)]).description)
        #expect(contract.unchecked.count == 1)
        #expect(contract.unchecked.first?.hasPrefix("pattern: ") == true)
        #expect(try violations("\"x\"", contract) == [])
    }

    @Test("unchecked keywords and formats are listed")
    func unchecked() throws {
        let schema = #"""
            {"type": "object", "title": "T", "x-own": 1, "patternProperties": {"^a": {"format": "hostname"}},
             "properties": {"if": {"type": "string", "example": {"unknown": 1}}, "b": {"if": {}, "$ref": "other.json#/b"},
              "c": {"contains": {}}}}
            """#
        #expect(try contract(schema).unchecked == ["contains", "external $ref", "format: hostname"])
    }

    @Test("names of properties, discriminators and examples aren't listed as keywords")
    func names() throws {
        let schema = #"""
            {"discriminator": {"propertyName": "kind", "mapping": {"payTo": "#/components/schemas/A"}},
             "properties": {"schema": {"properties": {"payTo": {}, "properties": {"contains": {}}}}, "x": true},
             "x-own": {"schema": {"payTo": 1}}, "dependentRequired": {"payTo": ["a"]}, "default": {"payTo": 1}}
            """#
        #expect(try contract(schema).unchecked == ["contains", "dependentRequired"])
        let document = #"""
            {"openapi": "3.1.0", "components": {"parameters": {"schema": {"name": "a", "in": "query", "schema": {"not": {"else": {}}}}},
             "headers": {"X": {"schema": {"format": "ipv4"}}}, "examples": {"e": {"schema": {"payTo": 1}}}},
             "paths": {"/schema": {"summary": "s", "get": {"responses": {"200": {"description": "d", "content": {"a/b":
              {"schema": {"prefixItems": [{"then": {}}]}}}}}}}}}
            """#
        let unchecked = try OpenAPI(json: Data(document.utf8)).unchecked
        #expect(unchecked == ["content: a/b", "else", "format: ipv4", "then"])
    }

    @Test("a validator of the test's checks the values of named schemas, too, within others and in alternatives")
    func validate() throws {
        let reference = ##"{"$ref": "#/components/schemas/Code"}"##
        let codes = #"{"items": \#(reference)}"#
        let code = #"{"anyOf": [\#(reference), {"type": "null"}]}"#
        var contract = try contract(
            #"{"properties": {"codes": \#(codes), "code": \#(code)}}"#,
            components: #"{"Code": {"type": "string"}}"#
        )
        contract.validate = { value, reference in
            value == "odd" && reference == "#/components/schemas/Code" ? ["is odd"] : []
        }
        #expect(try violations(#"{"codes": ["even"], "code": "even", "other": "odd"}"#, contract) == [])
        #expect(try violations(#"{"codes": ["even", "odd"], "code": null}"#, contract) == ["body.codes[1] is odd"])
        #expect(
            try violations(#"{"code": "odd"}"#, contract)
                == ["body.code matches none of the 2 schemas of anyOf; the closest: body.code is odd"]
        )
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
