import Requests
import Testing

@Suite("Links", .timeLimit(.minutes(5)))
struct LinkTests {
    @Test(
        "are read in every form a field can have",
        arguments: [
            (#"<https://h/2>; rel="next""#, ["https://h/2 next"]),
            (#"<https://h/2>; rel="next", <https://h/9>; rel="last""#, ["https://h/2 next", "https://h/9 last"]),
            (#"</2>;REL=NEXT;title="a, b; c"#, ["/2 next title=a, b; c"]),
            (#"<>; rel="prev next"; title="\"q\""#, [#" next prev title="q""#]),
            ("</a,b;c>; rel=next; crossorigin", ["/a,b;c next crossorigin="]),
            ("</2> ; rel = next ;; , ,</3>", ["/2 next", "/3"]), (#"</2>; rel=next; rel=last"#, ["/2 next"]),
            ("</2>; rel=next,</3>; rel=last", ["/2 next", "/3 last"]), ("", []), ("</2", []), ("/2; rel=next", []),
            ("</2>; rel=\"next", ["/2 next"]), ("</2>; rel=next garbage, </3>; rel=x", ["/2 next"]),
        ]
    )
    func forms(text: String, expected: [String]) {
        let links = Link.links(in: text).map { link in
            let parameters = link.parameters.filter { $0.key != "rel" }.sorted { $0.key < $1.key }
            return ([link.reference] + link.relations.sorted() + parameters.map { "\($0.key)=\($0.value)" })
                .joined(separator: " ")
        }
        #expect(links == expected)
    }

    @Test(
        "of a response are resolved against its URL; those of other resources are passed over",
        arguments: [
            (["</2>; rel=next"], "https://h/2"), (["<2>; rel=next"], "https://h/a/2"),
            (["<?page=2>; rel=NEXT"], "https://h/a/b?page=2"), (["</1>; rel=prev", "</2>; rel=next"], "https://h/2"),
            (["</2>; rel=next; anchor=\"#x\"", "</3>; rel=next"], "https://h/3"), (["</1>; rel=prev"], nil), ([], nil),
        ] as [([String], String?)]
    )
    func next(fields: [String], expected: String?) throws {
        let header = Header(fields.map { Field(name: "Link", value: $0) })
        let head = try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h/a/b?page=1"))
        #expect(try head.linkedURL("next")?.text == expected)
    }

    @Test("that lead to no URL of HTTP throw")
    func invalid() throws {
        let header: Header = [Field(name: "Link", value: "<mailto:a@b>; rel=next")]
        let head = try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h"))
        #expect(throws: InvalidRequestURLError.self) { try head.linkedURL("next") }
    }
}
