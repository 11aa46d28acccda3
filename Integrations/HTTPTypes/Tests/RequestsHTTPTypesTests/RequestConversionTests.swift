import Foundation
import HTTPTypes
import Requests
import RequestsHTTPTypes
import Testing

@Suite("The conversion of requests", .timeLimit(.minutes(5)))
struct RequestConversionTests {
    private let url = "https://a.example/p?q=1"

    private func request(_ header: Header = .empty, url: String? = nil) throws -> PreparedRequest {
        try PreparedRequest(url: RequestURL(url ?? self.url), header: header)
    }

    private func fields(_ name: String, _ value: String) throws -> HTTPFields {
        [try #require(HTTPField.Name(name)): value]
    }

    private func httpRequest(
        scheme: String? = "https",
        authority: String? = "a.example",
        path: String? = "/p",
        fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path, headerFields: fields)
    }

    @Test("A control character in a value is an error, not a space", arguments: [0x00, 0x0A, 0x0D, 0x1B, 0x7F])
    func controlCharacters(code: UInt8) throws {
        var request = try request()
        request.header.add(Field(name: "X-A", value: "a\(Unicode.Scalar(code))b"))
        let error = #expect(throws: RequestError.self) { try request.httpRequest() }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.subject == "X-A")
    }

    @Test("An invalid method or name is an error")
    func tokens() throws {
        var request = try request()
        request.method = "GET /"
        #expect(throws: RequestError.self) { try request.httpRequest() }
        request.method = .get
        request.header.add(Field(name: "X A", value: "a"))
        #expect(throws: RequestError.self) { try request.httpRequest() }
    }

    @Test("A Host field becomes the authority, and isn't repeated as a field")
    func host() throws {
        let request = try request([Field(name: .host, value: "B.example:8080"), .acceptLanguage("en")])
        let converted = try request.httpRequest()
        #expect(converted.authority == "b.example:8080")
        #expect(converted.headerFields.map(\.name.rawName) == ["Accept-Language"])
        #expect(try PreparedRequest(converted).url.text == "https://b.example:8080/p?q=1")
    }

    @Test(
        "A Host field that isn't a host is an error",
        arguments: ["b.example/p", "u@b.example", "b.example?", "b.example#", "", "a b"]
    )
    func invalidHost(value: String) throws {
        let request = try request([Field(name: .host, value: value)])
        #expect(throws: RequestError.self) { try request.httpRequest() }
    }

    @Test("A Host field is used if there is no authority, and is left out if it is the same")
    func hostField() throws {
        let request = try PreparedRequest(httpRequest(authority: nil, fields: fields("Host", "b.example")))
        #expect(request.url.text == "https://b.example/p")
        #expect(request.header.isEmpty)
        let same = try PreparedRequest(httpRequest(fields: fields("host", "A.example:443")))
        #expect(same.url.text == "https://a.example/p")
        #expect(same.header.isEmpty)
    }

    @Test("A Host field that differs from the authority is an error")
    func conflictingHost() {
        let error = #expect(throws: RequestError.self) {
            try PreparedRequest(httpRequest(fields: fields("Host", "b.example")))
        }
        #expect(error?.code == .unsupportedRequest)
        #expect(error?.subject == "Host")
    }

    @Test("Several Cookie fields become one, which HTTP/1.1 requires")
    func cookies() throws {
        var original = httpRequest()
        original.headerFields[.cookie] = "a=1; b=2"
        #expect(original.headerFields.count == 2)
        let header = try PreparedRequest(original).header
        #expect(header.map(\.value) == ["a=1; b=2"])
        #expect(header.map(\.isSensitive) == [true])
    }

    @Test("Only the strategy disallow makes a field sensitive, and credentials always get it")
    func strategies() throws {
        var fields = HTTPFields()
        for strategy in [HTTPField.DynamicTableIndexingStrategy.automatic, .prefer, .avoid, .disallow] {
            var field = HTTPField(name: .accept, value: "a")
            field.indexingStrategy = strategy
            fields.append(field)
        }
        let header = try PreparedRequest(httpRequest(fields: fields)).header
        #expect(header.map(\.isSensitive) == [false, false, false, true])
        let converted = try request([.authorization("Bearer t"), .acceptLanguage("en").sensitive()]).httpRequest()
        #expect(converted.headerFields.map(\.indexingStrategy) == [.disallow, .disallow])
    }

    @Test("The body and the options are those of the arguments")
    func bodyAndOptions() throws {
        let options = CallOptions(timeouts: Timeouts(total: .seconds(3)))
        let request = try PreparedRequest(httpRequest(), body: .data(Data("x".utf8)), options: options)
        #expect(request.body == .data(Data("x".utf8)))
        #expect(request.options == options)
    }

    @Test("A length that contradicts the body is an error in both directions")
    func framing() throws {
        var request = try request()
        request.header.add(Field(name: .contentLength, value: "2"))
        #expect(throws: RequestError.self) { try request.httpRequest() }
        let error = #expect(throws: RequestError.self) {
            try PreparedRequest(httpRequest(fields: [.contentLength: "2"]), body: .data(Data("x".utf8)))
        }
        #expect(error?.code == .conflictingFraming)
    }

    @Test("A missing or invalid part is an error that names it")
    func missingParts() throws {
        let cases: [(HTTPRequest, RequestError.Code)] = [
            (httpRequest(scheme: nil), .unsupportedScheme), (httpRequest(scheme: "ftp"), .unsupportedScheme),
            (httpRequest(authority: nil), .missingHost), (httpRequest(authority: "u:p@a.example"), .userInfo),
            (httpRequest(authority: "a.example/x"), .invalidHost), (httpRequest(path: nil), .invalidPath),
            (httpRequest(path: "*"), .invalidPath), (httpRequest(path: "/a#b"), .invalidPath),
            (httpRequest(path: "/a/../b"), .dotSegment),
        ]
        for (request, code) in cases {
            let error = #expect(throws: RequestError.self, "\(code)") { try PreparedRequest(request) }
            #expect(error?.code == code)
        }
    }

    @Test("A path that isn't UTF-8 is an error")
    func pathBytes() throws {
        var original = httpRequest()
        let name = try #require(HTTPField.Name(parsed: ":path"))
        original.pseudoHeaderFields.path = HTTPField(name: name, value: [0x2F, 0xE9])
        let error = #expect(throws: RequestError.self) { try PreparedRequest(original) }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.subject == ":path")
    }

    @Test("A tunnel is an error")
    func tunnel() throws {
        var original = httpRequest()
        original.method = .connect
        original.extendedConnectProtocol = "websocket"
        let error = #expect(throws: RequestError.self) { try PreparedRequest(original) }
        #expect(error?.code == .unsupportedRequest)
    }

    @Test("More fields than HTTPFields can hold are an error, not a trap")
    func tooManyFields() throws {
        let header = Header(Array(repeating: Field(name: "X-A", value: ""), count: 65_535))
        let error = #expect(throws: RequestError.self) { try header.httpFields() }
        #expect(error?.code == .tooManyFields)
        #expect(try Header(header.dropLast()).httpFields().count == 65_534)
    }

    @Test("A definition becomes the HTTPRequest of the request that it builds")
    func definition() throws {
        let api = BaseURL("https://a.example")
        let request = api.put(.text("x"), to: "/p").authenticated(with: .bearerToken("t"))
        #expect(try request.httpRequest() == request.prepared().httpRequest())
        #expect(try request.httpRequest().headerFields[.authorization] == "Bearer t")
    }
}
