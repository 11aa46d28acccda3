import Requests
import RequestsContracts
import Testing

@Suite("OpenAPI messages", .timeLimit(.minutes(5)))
struct OpenAPIMessagesTests {
    private func contract(_ operation: String, method: String = "post", more: String = "", version: String = "3.1.0")
        throws -> OpenAPI
    {
        try OpenAPI(
            json: Data(#"{"openapi": "\#(version)", "paths": {"/a": {"\#(method)": \#(operation)}}\#(more)}"#.utf8)
        )
    }

    private func form(_ schema: String, _ text: String, encoding: String = "{}") throws -> [String] {
        let content = #"{"application/x-www-form-urlencoded": {"schema": \#(schema), "encoding": \#(encoding)}}"#
        let request = try PreparedRequest(
            method: .post,
            url: RequestURL("https://h/a"),
            header: [.contentType(.urlEncodedForm)],
            body: .data(Data(text.utf8))
        )
        return try contract(#"{"requestBody": {"content": \#(content)}}"#).violations(of: request).map(\.description)
    }

    @Test("the fields of a form can be arrays and objects")
    func forms() throws {
        let schema = #"""
            {"type": "object", "additionalProperties": false, "properties": {
             "tags": {"type": "array", "items": {"type": "integer"}}, "n": {"type": "integer"},
             "addr": {"type": "object", "properties": {"line": {"type": "string"}, "zip": {"type": "integer"}}},
             "items": {"type": "array", "items": {"type": "object", "required": ["price"],
              "properties": {"price": {"type": "integer"}}}}}}
            """#
        for valid in [
            "tags=1&tags=2", "tags=1", "tags[]=1&tags[]=2", "tags[0]=1&tags[1]=2", "addr[line]=x+y&addr%5Bzip%5D=7",
            "items[0][price]=1&items[1][price]=2", "n=1&tags=2",
        ] {
            #expect(try form(schema, valid) == [], "\(valid)")
        }
        #expect(try form(schema, "tags=1&tags=x") == ["body.tags[1] is a string, not integer"])
        #expect(try form(schema, "addr[zip]=x") == ["body.addr.zip is a string, not integer"])
        #expect(try form(schema, "items[0][x]=1") == ["body.items[0].price is missing"])
        #expect(try form(schema, "n=1&n=2") == ["body.n is an array, not integer"])
        #expect(try form(schema, "other[x]=1") == ["body.other isn't declared in the schema"])
        let encoding = #"{"tags": {"explode": false}}"#
        #expect(try form(schema, "tags=1,2", encoding: encoding) == [])
        #expect(try form(schema, "tags=1,x", encoding: encoding) == ["body.tags[1] is a string, not integer"])
    }

    @Test("many fields of one name take linear time")
    func manyFields() throws {
        let schema = #"{"properties": {"a": {"type": "array"}, "o": {"type": "object"}}}"#
        let fields = (0..<5000).map { "a[]=\($0)&o[k\($0)]=1" }.joined(separator: "&")
        #expect(try form(schema, fields) == [])
    }

    @Test(
        "a request needs a server of the document",
        arguments: [
            (#"[{"url": "https://api.example.com/v1"}]"#, "https://api.example.com/v1/a", "https://api.example.com/a"),
            (
                #"[{"url": "https://api.example.com/v1"}]"#, "https://api.example.com:443/v1/a",
                "https://other.example/v1/a"
            ),
            (#"[{"url": "/v1"}]"#, "http://anything/v1/a", "http://anything/a"),
            (
                #"[{"url": "https://{r}.example.com:{p}/{v}", "variables": {"r": {"enum": ["eu", "us"]}, "p": {}, "v": {}}}]"#,
                "https://eu.example.com/v2/a", "https://asia.example.com/v2/a"
            ),
            (
                #"[{"url": "https://{r}.example.com/{base}", "variables": {"base": {"default": "x/y"}}}]"#,
                "https://eu.example.com/x/y/a", "https://eu.example.com/x/a"
            ),
            (#"[{"url": "https://h{base}", "variables": {"base": {"default": ""}}}]"#, "https://h/a", "https://h/v1/a"),
            ("[]", "https://anything/a", "https://anything/v1/a"),
        ]
    )
    func servers(_ servers: String, _ valid: String, _ invalid: String) throws {
        let contracts = [
            try contract("{}", method: "get", more: #", "servers": \#(servers)"#),
            try contract(#"{"servers": \#(servers)}"#, method: "get"),
            try contract(#"{}, "servers": \#(servers)"#, method: "get"),
        ]
        for contract in contracts {
            let found = try contract.violations(of: PreparedRequest(url: RequestURL(valid)))
            #expect(found == [])
            let missing = try contract.violations(of: PreparedRequest(url: RequestURL(invalid)))
            #expect(missing.map(\.place) == ["path"])
        }
    }

    @Test("the host of a server can be ignored, but not its path")
    func anyHost() throws {
        let document =
            #"{"openapi": "3.1.0", "servers": [{"url": "https://api.example.com/v1"}], "paths": {"/a": {"get": {}}}}"#
        let contract = try OpenAPI(json: Data(document.utf8), anyHost: true)
        #expect(try contract.violations(of: PreparedRequest(url: RequestURL("http://127.0.0.1:8080/v1/a"))) == [])
        let found = try contract.violations(of: PreparedRequest(url: RequestURL("http://127.0.0.1:8080/a")))
        #expect(
            found.map(\.description) == [
                "path “/a” isn't in the document; check the path and the server: https://api.example.com/v1"
            ]
        )
    }

    private func response(
        _ declared: String,
        _ body: String,
        method: HTTPMethod = .get,
        header: Header = .empty
    ) throws -> [String] {
        let contract = try contract(#"{"responses": {"200": \#(declared)}}"#, method: method.rawValue.lowercased())
        let request = try PreparedRequest(method: method, url: RequestURL("https://h/a"))
        let head = try ResponseHead(statusCode: 200, header: header, url: request.url)
        return contract.violations(of: Response(head: head, content: Data(body.utf8)), to: request).map(\.description)
    }

    @Test("a response to HEAD has no body, and text can be empty")
    func emptyResponses() throws {
        let json = #"{"content": {"application/json": {"schema": {}}, "text/plain": {"schema": {"type": "string"}}}}"#
        #expect(try response(json, "", method: .head, header: [.contentType(.json)]) == [])
        #expect(try response(json, "", method: .head) == [])
        #expect(try response(json, "", header: [.contentType(.plainText)]) == [])
        #expect(try response(json, "", header: [.contentType(.json)]) == ["body is missing"])
        #expect(try response(json, "") == ["body is missing"])
    }

    @Test("the header of a response is checked, also arrays and content, but not Content-Type")
    func responseHeader() throws {
        let declared = #"""
            {"headers": {"X-Ids": {"schema": {"type": "array", "items": {"type": "integer"}}},
             "X-Info": {"content": {"application/json": {"schema": {"type": "object", "required": ["a"]}}}},
             "Content-Type": {"required": true, "schema": {"type": "integer"}}, "X-Need": {"required": true}}}
            """#
        let valid: Header = ["X-Ids": "1, 2", "X-Info": #"{"a": 1}"#, "X-Need": "1"]
        #expect(try response(declared, "", header: valid) == [])
        let invalid = Header([
            Field(name: "X-Ids", value: "1"), Field(name: "X-Ids", value: "x"), Field(name: "X-Info", value: "{}"),
        ])
        #expect(
            try response(declared, "", header: invalid) == [
                "header.X-Ids[1] is a string, not integer", "header.X-Info.a is missing", "header.X-Need is missing",
            ]
        )
    }

    @Test("a document can be a value that another decoder created")
    func decoded() throws {
        let document: JSONValue = ["openapi": "3.1.0", "paths": ["/a": ["get": [:]]]]
        #expect(try OpenAPI(document).violations(of: PreparedRequest(url: RequestURL("https://h/a"))) == [])
        #expect(throws: OpenAPI.InvalidDocument.self) { try OpenAPI(["swagger": "2.0"]) }
    }

    @Test("media types whose schemas aren't checked are listed")
    func uncheckedMediaTypes() throws {
        let content = ["text/csv", "application/json", "*/*", "multipart/form-data"]
            .map { #""\#($0)": {"schema": {"type": "string"}}"# }.joined(separator: ", ")
        let contract = try contract(#"{"requestBody": {"content": {\#(content)}}}"#)
        #expect(contract.unchecked == ["content: multipart/form-data", "content: text/csv"])
    }

    @Test("a form that isn't UTF-8 is a violation")
    func formsOfOtherEncodings() throws {
        let content = #"{"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}"#
        let request = try PreparedRequest(
            method: .post,
            url: RequestURL("https://h/a"),
            header: [.contentType(.urlEncodedForm)],
            body: .data(Data([0x61, 0x3D, 0xFF]))
        )
        let violations = try contract(#"{"requestBody": {"content": \#(content)}}"#).violations(of: request)
        #expect(violations.map(\.description) == ["body isn't UTF-8"])
    }

    @Test("the most specific path is used, also if paths have servers of their own")
    func overlappingServers() throws {
        func operation(_ name: String) -> String { #"{"parameters": [{"in": "query", "name": "\#(name)"}]}"# }
        let contract = try OpenAPI(
            json: Data(
                #"""
                {"openapi": "3.1.0", "servers": [{"url": "https://h"}], "paths": {
                 "/pets/{id}": {"get": \#(operation("any"))},
                 "/pets/mine": {"servers": [{"url": "https://h"}], "get": \#(operation("mine"))}}}
                """#.utf8
            )
        )
        func violations(_ url: String) throws -> [String] {
            try contract.violations(of: PreparedRequest(url: RequestURL(url))).map(\.description)
        }
        #expect(try violations("https://h/pets/mine?mine=1") == [])
        #expect(try violations("https://h/pets/mine?any=1") == ["query.any isn't declared in the document"])
    }

    @Test("the value of a cookie can contain & and =")
    func cookies() throws {
        let parameters = #"[{"in": "cookie", "name": "b", "required": true, "schema": {"enum": ["x"]}}]"#
        let request = try PreparedRequest(
            url: RequestURL("https://h/a"),
            header: [Field(name: "Cookie", value: "prefs=a&b=2;b=x")]
        )
        let violations = try contract(#"{"parameters": \#(parameters)}"#, method: "get").violations(of: request)
        #expect(violations.map(\.description) == [])
    }
}
