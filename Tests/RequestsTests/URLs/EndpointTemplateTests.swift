import Requests
import RequestsSchemes
import Testing

@Suite("Endpoints from templates", .timeLimit(.minutes(5)))
struct EndpointTemplateTests {
    private let api = BaseURL("https://api.example.com/v1?key=1")

    private func url(_ endpoint: Endpoint) throws -> String {
        try api.get(.data, from: endpoint).with(query: ["last": "x"]).prepared().url.text
    }

    @Test("a template's query is placed between the base URL's query and the request's query items")
    func query() throws {
        let endpoint = try Endpoint(
            template: "/users/{id}{?page,tags*}",
            ["id": "a/b", "page": nil, "tags": ["c d", "e"]]
        )
        #expect(try url(endpoint) == "https://api.example.com/v1/users/a%2Fb?key=1&tags=c%20d&tags=e&last=x")
        #expect(
            try url(Endpoint(template: "/search?q={q}", ["q": "a&b"]))
                == "https://api.example.com/v1/search?key=1&q=a%26b&last=x"
        )
        #expect(try url(Endpoint(template: "/a")) == "https://api.example.com/v1/a?key=1&last=x")
    }

    @Test("a value of a template can't leave its segment or add a fragment")
    func traversal() throws {
        for value in ["..", "."] {
            let endpoint = try Endpoint(template: "/users/{id}", ["id": value])
            let error = #expect(throws: RequestError.self) { try url(endpoint) }
            #expect(error?.code == .dotSegment)
        }
        #expect(throws: RequestError.self) { try Endpoint(template: "/a{#b}", ["b": "c"]) }
    }

    @Test("an optional variable without a value is left out, and arrays of any values are lists")
    func variables() throws {
        let (page, limit): (Int?, Int?) = (nil, 5)
        let variables: [String: (any Query.Values)?] = ["page": page, "limit": limit, "ids": [1, 2], "flag": true]
        #expect(
            try url(Endpoint(template: "/a{?page,limit,ids*,flag}", variables)).hasSuffix(
                "/a?key=1&limit=5&ids=1&ids=2&flag=true&last=x"
            )
        )
        let pairs = URITemplate.Value.pairs([("a", "1"), ("b", "2")])
        #expect(try url(Endpoint(template: "/a{?pairs*}", ["pairs": pairs])).hasSuffix("/a?key=1&a=1&b=2&last=x"))
    }

    @Test("a relative template that is or becomes an absolute URL throws, and names what to write")
    func absoluteTemplate() throws {
        for (template, value) in [("https://uploads.example.com/a{?b}", "1"), ("{+b}/a", "https://evil.example")] {
            let error = #expect(throws: RequestError.self) { try Endpoint(template: template, ["b": value]) }
            #expect(error?.code == .invalidEndpoint)
            #expect(error?.message.contains("Endpoint(absolute:") == true)
        }
    }

    @Test("the template of an absolute URL is expanded, and obeys the rule of its origin")
    func absoluteWithVariables() throws {
        let template = "https://uploads.example.com/assets{?name,label}"
        let label: String? = nil
        let upload = try Endpoint(absolute: template, ["name": "a b.zip", "label": label], origin: .any)
        #expect(try url(upload) == "https://uploads.example.com/assets?name=a%20b.zip&last=x")
        let same = try Endpoint(absolute: template, ["name": "a"], origin: .same)
        #expect(throws: RequestError.self) { try url(same) }
        let unicode = try Endpoint(absolute: "https://bücher.example/{id}", ["id": 1], origin: .any)
        #expect(try url(unicode) == "https://xn--bcher-kva.example/1?last=x")
        let own = try Endpoint(absolute: "https://api.example.com{/id}", ["id": "a/b"], origin: .same)
        #expect(try url(own) == "https://api.example.com/a%2Fb?last=x")
    }

    @Test(
        "a value can't change the host of an absolute template",
        arguments: [
            ("https://{a}/b", "evil.example"), ("https://api.example.com{+a}", "@evil.example/"),
            ("https://api.example.com{a}", ".evil.example"), ("{+a}", "https://evil.example"), ("{a}", "b"),
            ("/path{?a}", "b"),
        ]
    )
    func hostOfTemplate(template: String, value: String) {
        let error = #expect(throws: RequestError.self) { try Endpoint(absolute: template, ["a": value], origin: .any) }
        #expect(error?.code == .invalidEndpoint)
    }

    @Test("The template of an endpoint is the URI template as written")
    func name() throws {
        let template = "/users/{id}{?page,tags*}"
        #expect(try Endpoint(template: template, ["id": 7, "tags": ["a", "b"]]).template == template)
    }

    @Test("the values of a template stay in their segments and decode to themselves")
    func template() throws {
        let values = Array(HostileText(seed: 11, count: 15_000))
        var built = 0
        let broken = try zip(values, values.dropFirst()).first { one, other in
            do {
                let endpoint = try Endpoint(
                    template: "/users/{id}/posts{/more*}{?q}",
                    ["id": "\(one)", "more": ["\(other)", "\(one)"], "q": "\(other)"]
                )
                let url = try BaseURL("https://api.example.com/v1").get(.data, from: endpoint).prepared().url
                built += 1
                let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
                let expected = ["", "v1", "users", one, "posts", other, one].map { Array($0.utf8) }
                return segments.map { PercentDecoder.bytes(of: $0) } != expected
                    || PercentDecoder.bytes(of: url.query ?? "") != Array("q=\(other)".utf8)
            } catch let error as RequestError where error.code == .dotSegment {
                return ![".", ".."].contains(one) && ![".", ".."].contains(other)
            }
        }
        #expect(broken?.0 == nil)
        #expect(built > 11_000)
    }
}
