import Requests
import Testing

@Suite("Links of a response", .timeLimit(.minutes(5)))
struct LinkTests {
    @Test(
        "Links are read in every valid form of the field, and a malformed link or parameter is skipped",
        arguments: [
            (#"<https://h/2>; rel="next""#, ["https://h/2 next"]),
            (#"<https://h/2>; rel="next", <https://h/9>; rel="last""#, ["https://h/2 next", "https://h/9 last"]),
            (#"</2>;REL=NEXT;title="a, b; c"#, ["/2 next title=a, b; c"]),
            (#"<>; rel="prev next"; title="\"q\""#, [#" next prev title="q""#]),
            ("</a,b;c>; rel=next; crossorigin", ["/a,b;c next crossorigin="]),
            ("</2> ; rel = next ;; , ,</3>", ["/2 next", "/3"]), (#"</2>; rel=next; rel=last"#, ["/2 next"]),
            ("</2>; rel=next,</3>; rel=last", ["/2 next", "/3 last"]), ("", []), ("</2", []), ("/2; rel=next", []),
            ("</2>; rel=\"next", ["/2 next"]),
            ("</1>; rel=first prev, </2>; rel=next", ["/1 first prev", "/2 next"]),
            ("/1; rel=next, </2>; rel=next", ["/2 next"]), ("</1; rel=next, </2>; rel=next", ["/2 next"]),
            ("</1>; rel=; rel=next", ["/1 next"]), ("</1>; =x; r@l=x; rel=next", ["/1 next"]),
            ("</1>; title=\"a\" b; rel=next", ["/1 next title=a"]), ("</1>; \"x, y\"; rel=next", ["/1 next"]),
            ("</1> rel=next, </2>; rel=last", ["/1 next", "/2 last"]), ("x \"<\", </2>; rel=last", ["/2 last"]),
            ("</2>; rel=next garbage, </3>; rel=x", ["/2 garbage next", "/3 x"]),
        ]
    )
    func forms(text: String, expected: [String]) {
        let links = ResponseHead.Link.links(in: text).map { link in
            let parameters = link.parameters.filter { $0.key != "rel" }.sorted { $0.key < $1.key }
            return ([link.reference] + link.relations.sorted() + parameters.map { "\($0.key)=\($0.value)" })
                .joined(separator: " ")
        }
        #expect(links == expected)
    }

    @Test(
        "Links are resolved against the response's URL, and those with an anchor are skipped",
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

    @Test("A link that isn't an HTTP URL throws")
    func invalid() throws {
        let header: Header = [Field(name: "Link", value: "<mailto:a@b>; rel=next")]
        let head = try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h"))
        #expect(throws: RequestError.self) { try head.linkedURL("next") }
    }
}
