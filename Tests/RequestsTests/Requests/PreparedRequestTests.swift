import RequestsConformance
import RequestsTesting
import Testing

@Suite("Prepared requests", .timeLimit(.minutes(5)))
struct PreparedRequestTests {
    private func request(_ header: Header = [], body: RequestBody = .none, method: HTTPMethod = .post) throws
        -> PreparedRequest
    {
        try PreparedRequest(method: method, url: RequestURL("https://h/p"), header: header, body: body)
    }

    @Test("The initializer throws the same errors as `validate()`")
    func initializer() throws {
        #expect(try PreparedRequest(url: RequestURL("https://h")).method == .get)
        let failures: [(RequestError.Code, () throws -> PreparedRequest)] = [
            (.invalidMethod, { try request(method: "G T") }),
            (.invalidFieldName, { try request([Field(name: "a b", value: "")]) }),
            (.invalidFieldValue, { try request([Field(name: "a", value: "b\nc")]) }),
            (.conflictingFraming, { try request([Field(name: .transferEncoding, value: "chunked")]) }),
            (.conflictingFraming, { try request([Field(name: .host, value: "h"), Field(name: .host, value: "h")]) }),
        ]
        for (code, make) in failures {
            let error = #expect(throws: RequestError.self) { try make() }
            #expect(error?.code == code)
        }
    }

    @Test("Every part can be set, and `validate()` throws for invalid values")
    func setters() throws {
        var changed = try request()
        changed.method = "G T"
        let wrong = changed
        #expect(throws: RequestError.self) { try wrong.validate() }
        changed.method = .get
        changed.url = try RequestURL("https://h/q")
        changed.body = .data(Data("x".utf8))
        changed.header.add(.accept(.json))
        try changed.validate()
        #expect(changed.description == "GET https://h/q")
    }

    @Test(
        "A Transfer-Encoding field throws, whatever its case and the body",
        arguments: ["Transfer-Encoding", "transfer-encoding", "TRANSFER-ENCODING"]
    )
    func transferEncoding(name: String) throws {
        for body: RequestBody in [.none, .data(Data("x".utf8)), .oneShot(Data())] {
            let error = #expect(throws: RequestError.self) {
                try request([Field(name: Field.Name(name), value: "chunked")], body: body)
            }
            #expect(error?.code == .conflictingFraming)
            #expect(error?.subject == name)
        }
    }

    @Test("Two Content-Length fields throw, even if one or both match the body", arguments: ["11", "12", "21"])
    func twoLengths(lengths: String) throws {
        let header = Header(lengths.map { Field(name: .contentLength, value: "\($0)") })
        let error = #expect(throws: RequestError.self) { try request(header, body: .data(Data("x".utf8))) }
        #expect(error?.code == .conflictingFraming)
        #expect(error?.message == "There are two Content-Length fields. Remove them.")
    }

    @Test(
        "A Content-Length that differs from the length of the body throws",
        arguments: ["0", "2", "-1", "+1", "01", "1, 1", "1,1", "0x1", "", "one", "1 ", "99999999999999999999"]
    )
    func contentLength(value: String) throws {
        let body = RequestBody.data(Data("x".utf8))
        let field = Field(name: "content-length", value: value)
        guard field.value != "1" else {
            #expect(try request([field], body: body).header == [field])
            return
        }
        let error = #expect(throws: RequestError.self) { try request([field], body: body) }
        #expect(error?.code == .conflictingFraming)
        #expect(error?.subject == "content-length")
    }

    @Test("A Content-Length is accepted if it is the length of the body, but not if the length is unknown")
    func contentLengthOfStreams() throws {
        let field = Field(name: .contentLength, value: "5")
        #expect(try request([field], body: .oneShot(Data(), length: 5)).header == [field])
        #expect(try request([Field(name: .contentLength, value: "0")]).body == .none)
        #expect(throws: RequestError.self) { try request([field], body: .oneShot(Data())) }
        #expect(throws: RequestError.self) { try request([field]) }
    }

    @Test("Requests are equal if method, URL, header, body and options are equal")
    func equality() throws {
        let one = try request([.accept(.json)], body: .data(Data("x".utf8)))
        #expect(try one == request([.accept(.json)], body: .data(Data("x".utf8))))
        var others = [one, one, one, one, one]
        others[0].method = .put
        others[1].url = try RequestURL("https://h/q")
        others[2].header = [.accept(.xml)]
        others[3].body = .data(Data("y".utf8))
        others[4].options.timeouts.total = .seconds(1)
        for other in others { #expect(other != one) }
    }

    @Test("The description is the method and the URL, with sensitive query values redacted")
    func description() throws {
        let request = try PreparedRequest(
            url: RequestURL("https://h/?token=s3cret"),
            header: [.authorization("s3cret")]
        )
        #expect(request.description == "GET https://h/?token=REDACTED")
        #expect(!"\(request) \(String(reflecting: request)) \([request])".contains("s3cret"))
    }
}
