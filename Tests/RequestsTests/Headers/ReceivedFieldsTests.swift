import RequestsTesting
import Testing

@Suite("Fields as servers send them", .timeLimit(.minutes(5)))
struct ReceivedFieldsTests {
    private func head(_ fields: [(Field.Name, String)]) throws -> ResponseHead {
        let header = Header(fields.map { Field(name: $0, value: $1) })
        return try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h/"))
    }

    @Test(
        "A malformed parameter of a media type is skipped, and the other ones count",
        arguments: [
            ("application/json; charset", "application/json"), ("application/json; charset=", "application/json"),
            ("application/json; =utf-8", "application/json"),
            ("application/json;;; charset=a", "application/json; charset=a"),
            ("application/json; charset; v=1", "application/json; v=1"),
            ("application/json; ch@rset=x; v=1", "application/json; v=1"),
            ("application/json; \"x; y\"; v=1", "application/json; v=1"),
            ("application/json charset=utf-8", "application/json"),
            ("application/json; charset = utf-8", "application/json; charset=utf-8"),
            ("application/json; charset=\"utf-8", "application/json; charset=utf-8"),
            ("application/json; charset=\"utf-8\" x; v=1", "application/json; charset=utf-8; v=1"),
            ("multipart/mixed; boundary=a/b:c=d", "multipart/mixed; boundary=\"a/b:c=d\""),
            ("text/plain; name=a b; v=1", "text/plain; name=\"a b\"; v=1"),
        ]
    )
    func mediaTypeParameters(text: String, type: String) throws {
        #expect(MediaType(text)?.rawValue == type)
        #expect(try head([(.contentType, text)]).mediaType?.rawValue == type)
        #expect(MediaType(type)?.rawValue == type)
    }

    @Test(
        "A repeated media type is one, and has only the parameters on which all repeats agree",
        arguments: [
            (["application/json, application/json"], "application/json"),
            (["application/json", "application/json"], "application/json"),
            (["application/json", "Application/JSON; charset"], "application/json"),
            (["text/html;a=\"x,y\",text/html; a=\"x,y\""], "text/html; a=\"x,y\""),
            (["application/json,,application/json,", " , application/json"], "application/json"),
            (["text/html; charset=utf-8, text/html"], "text/html"),
            (["text/html", "application/json"], nil), (["text/html, application/json"], nil),
            (["application/json, x"], nil), (["application/json", "application/json\"\""], nil), ([","], nil),
        ] as [([String], String?)]
    )
    func mediaTypeRepeats(values: [String], type: String?) throws {
        #expect(try head(values.map { (.contentType, $0) }).mediaType?.rawValue == type)
    }

    @Test("JSON, problem documents and event streams are recognized in spite of a malformed or repeated type")
    func recognized() async throws {
        let events = StreamElements.events(endIsExpected: false)
        #expect(try events.applies(to: head([(.contentType, "text/event-stream; charset")])))
        for (second, isKnown) in [("text/event-stream", true), ("text/html", false)] {
            let head = try head([(.contentType, "text/event-stream"), (.contentType, second)])
            #expect(events.applies(to: head) == isKnown)
        }
        let problem = Field(name: .contentType, value: "application/problem+json; charset, application/problem+json")
        let transport = StubTransport {
            try .stub(400, header: [problem], body: Data(#"{"title":"t"}"#.utf8), for: $0)
        }
        let request = BaseURL("https://h").get(ResponseDecoder.json(Int.self).problems(), from: "/")
        let error = await #expect(throws: ResponseError.self) { try await Client(transport: transport).send(request) }
        #expect(error?.problem?.title == "t")
    }

    @Test(
        "Equal repeats of a length are one, and different ones are none",
        arguments: [
            (["5", "5"], 5), (["5, 5"], 5), (["5,5", "5"], 5), (["5", "6"], nil), (["5, 6"], nil), (["5,"], nil),
            (["+5"], nil), (["5 5"], nil), ([""], nil),
        ] as [([String], Int64?)]
    )
    func lengths(values: [String], length: Int64?) throws {
        let head = try head(values.map { (.contentLength, $0) })
        #expect(head.contentLength == length)
        #expect(head.expectedBytes(to: .get) == length)
    }

    @Test(
        "Equal repeats of an entity tag are one, and different ones are none",
        arguments: [
            (["\"a\"", "\"a\""], "\"a\""), (["\"a\", \"a\""], "\"a\""), (["W/\"a\",W/\"a\""], "W/\"a\""),
            (["\",\""], "\",\""), (["\"a,a\""], "\"a,a\""), (["\"a\\\", \"a\\\""], "\"a\\\""),
            (["\"a\"", "\"b\""], nil), (["\"a\", W/\"a\""], nil), (["\"a"], nil),
        ] as [([String], String?)]
    )
    func entityTags(values: [String], tag: String?) throws {
        #expect(try head(values.map { (.eTag, $0) }).entityTag?.rawValue == tag)
    }

    @Test("A conditional request tells an unreadable entity tag from a missing one", arguments: ["v1", "\"a\", \"b\""])
    func unreadableTag(text: String) throws {
        let untagged = try head([(.eTag, text)])
        let error = #expect(throws: RequestError.self) { try Header([.ifNoneMatch(untagged)]).validate() }
        #expect(error?.message.contains("“\(text)”") == true)
        #expect(error?.message.contains("has none") == false)
    }

    @Test(
        "A suggested file name is read in spite of malformed parameters and equal repeats",
        arguments: [
            (["attachment; filename*=UTF-8''; filename=a"], "a"), (["attachment; filename*=; filename=a"], "a"),
            (["attachment; filename*=UTF-8''%2F; filename=a"], "a"),
            (["attachment; filename*=x; filename*=UTF-8''b; filename=a"], "b"),
            (["attachment; filename=; filename=a"], "a"), (["attachment; filename=..; filename=a"], "a"),
            (["attachment; filename; filename=a"], "a"), (["attachment; \"x;y\"; filename=a"], "a"),
            (["attachment; =x; filename=a"], "a"), (["attachment; filename=a", "attachment; filename=a"], "a"),
            (["attachment; filename=a, attachment; filename=a"], "a"), (["attachment; filename=a, b.txt"], "a, b.txt"),
            (["attachment; filename=a", "attachment; filename=b"], nil),
        ] as [([String], String?)]
    )
    func fileNames(values: [String], name: String?) throws {
        #expect(try head(values.map { ("Content-Disposition", $0) }).suggestedFilename == name)
    }
}
