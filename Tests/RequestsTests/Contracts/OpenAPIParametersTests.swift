import Requests
import RequestsContracts
import Testing

@Suite("OpenAPI parameters", .timeLimit(.minutes(5)))
struct OpenAPIParametersTests {
    private func violations(
        _ parameters: String,
        _ target: String,
        template: String = "/a",
        header: Header = .empty,
        schemas: String = "{}"
    ) throws -> [String] {
        let schemes = #"{"key": {"type": "apiKey", "in": "query", "name": "api_key"}}"#
        let contract = try OpenAPI(
            json: Data(
                #"""
                {"openapi": "3.0.3", "paths": {"\#(template)": {"get": {"parameters": [\#(parameters)]}}},
                 "components": {"schemas": \#(schemas), "securitySchemes": \#(schemes)}}
                """#.utf8
            )
        )
        let request = try PreparedRequest(url: RequestURL("https://h\(target)"), header: header)
        return contract.violations(of: request).map(\.description)
    }

    private static let list = #"{"type": "array", "items": {"type": "integer"}, "maxItems": 2}"#
    private static let point = #"""
        {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "additionalProperties": false}
        """#

    /// Returns the parameter with the schemas in the place of their names, which keep the arguments short.
    private static func filled(_ parameter: String) -> String {
        parameter.replacing("LIST", with: list).replacing("POINT", with: point)
    }

    @Test(
        "a query parameter is read in its style",
        arguments: [
            (#""schema": LIST"#, "p=1&p=2", "p=1&p=x"),
            (#""explode": false, "schema": LIST"#, "p=1,2", "p=1,2,3"),
            (#""explode": false, "schema": {"type": "array", "items": {"maxLength": 3}}"#, "p=a%2Cb,c", "p=a%2Cbc"),
            (#""style": "spaceDelimited", "explode": false, "schema": LIST"#, "p=1%202", "p=1,2"),
            (#""style": "pipeDelimited", "explode": false, "schema": LIST"#, "p=1|2", "p=1|x"),
            (#""style": "pipeDelimited", "explode": false, "schema": LIST"#, "p=1%7C2", "p=1%7C2%7C3"),
            (#""style": "deepObject", "explode": true, "schema": POINT"#, "p[x]=1&p%5By%5D=2", "p[x]=a"),
            (#""style": "deepObject", "explode": true, "schema": POINT"#, "p[x]=1", "p[z]=1"),
            (#""style": "deepObject", "schema": {"anyOf": [POINT, {"type": "string"}]}"#, "p[x]=1", "p[x]=a"),
            (#""schema": POINT"#, "x=1&y=2", "x=a"),
            (#""explode": false, "schema": POINT"#, "p=x,1,y,2", "p=x,a"),
            (#""schema": POINT"#, "x=1", "x=1&z=1"),
            (#""schema": {"type": "object", "additionalProperties": {"type": "integer"}}"#, "q=1&r=2", "q=a"),
            (#""schema": {"allOf": [LIST]}"#, "p=1&p=2", "p=1&p=x"),
            (#""schema": {"oneOf": [LIST, {"type": "boolean"}]}"#, "p=true", "p=a"),
            (##""schema": {"$ref": "#/components/schemas/List"}"##, "p=1&p=2", "p=1&p=x"),
            (#""schema": {"type": "integer"}"#, "p=7", "p=%207"), (#""schema": {"type": "integer"}"#, "p=7", "p=1&p=2"),
            (
                #""content": {"application/json": {"schema": POINT}}"#, "p=%7B%22x%22%3A1%7D",
                "p=%7B%22x%22%3A%22%22%7D"
            ),
            (#""content": {"application/json": {"schema": {}}}"#, "p=1", "p=a"),
            (#""allowEmptyValue": true, "schema": {"type": "integer"}"#, "p=", "p=a"),
            (#""schema": {"type": "integer"}"#, "p=1&api_key=x", "p=1&key=x"),
            (#""schema": {"type": "array", "items": {"type": "string"}}"#, "p[]=1", "p[]=1&q=2"),
        ]
    )
    func query(_ parameter: String, _ valid: String, _ invalid: String) throws {
        let name = valid.hasPrefix("p[]") ? "p[]" : "p"
        let declared = #"{"name": "\#(name)", "in": "query", \#(Self.filled(parameter))}"#
        let schemas = #"{"List": \#(Self.list)}"#
        #expect(try violations(declared, "/a?\(valid)", schemas: schemas) == [])
        #expect(try violations(declared, "/a?\(invalid)", schemas: schemas).count == 1)
    }

    @Test(
        "a path parameter is read in its style",
        arguments: [
            (#""schema": {"type": "integer"}"#, "7", "x"), (#""schema": LIST"#, "1,2", "1,x"),
            (#""schema": {"type": "array", "items": {"maxLength": 3}}"#, "a%2Cb", "a%2Cbc"),
            (#""schema": {"type": "string", "maxLength": 3}"#, "a%2Fb", "a%2Fbc"),
            (#""style": "label", "schema": {"type": "integer"}"#, ".7", "7"),
            (#""style": "label", "schema": LIST"#, ".1,2", ".1.2"),
            (#""style": "label", "explode": true, "schema": LIST"#, ".1.2", ".1.x"),
            (#""style": "matrix", "schema": {"type": "integer"}"#, ";p=7", ";q=7"),
            (#""style": "matrix", "schema": LIST"#, ";p=1,2", ";p=1,x"),
            (#""style": "matrix", "explode": true, "schema": LIST"#, ";p=1;p=2", ";p=1;p=x"),
            (#""style": "matrix", "explode": true, "schema": POINT"#, ";x=1;y=2", ";x=a"),
            (#""schema": POINT"#, "x,1,y,2", "x,1,y"), (#""explode": true, "schema": POINT"#, "x=1,y=2", "x=a"),
        ]
    )
    func path(_ parameter: String, _ valid: String, _ invalid: String) throws {
        let declared = #"{"name": "p", "in": "path", "required": true, \#(Self.filled(parameter))}"#
        #expect(try violations(declared, "/a/\(valid)", template: "/a/{p}") == [])
        #expect(try violations(declared, "/a/\(invalid)", template: "/a/{p}").count == 1)
    }

    @Test(
        "a segment can have several expressions",
        arguments: [
            ("7-x.json", true), ("a-x.json", false), ("7.json", false), ("7-.json", false), ("7-x-y.json", true),
        ]
    )
    func expressions(_ segment: String, _ isValid: Bool) throws {
        let declared = #"{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}"#
        let found = try violations(declared, "/f/\(segment)", template: "/f/{id}-{name}.json")
        #expect(found.isEmpty == isValid, "\(found)")
    }

    @Test("the lines of a header field are one list")
    func header() throws {
        let declared = #"{"name": "X-Ids", "in": "header", "schema": \#(Self.list)}"#
        func found(_ lines: String...) throws -> [String] {
            try violations(declared, "/a", header: Header(lines.map { Field(name: "X-Ids", value: $0) }))
        }
        #expect(try found("1, 2") == [])
        #expect(try found("1", "2") == [])
        #expect(try found("1", "x") == ["header.X-Ids[1] is a string, not integer"])
        #expect(try found("1,2", "3") == ["header.X-Ids has 3 elements, more than 2"])
    }
}
