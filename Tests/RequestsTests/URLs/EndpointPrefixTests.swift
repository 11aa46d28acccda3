import Requests
import RequestsTestSupport
import Testing

@Suite("Prefixes of endpoints", .timeLimit(.minutes(5)))
struct EndpointPrefixTests {
    private static let base = "https://api.example.com/v1"

    private static let endpoints: [Endpoint] = [
        "/a?b=1", Endpoint(path: "/a?b"), "/a/\(7)", Endpoint(key: "/a//b/"), "",
        Endpoint(absolute: URL("https://api.example.com/x?c=1"), origin: .same),
        Endpoint(absolute: URL("https://other.example/x"), origin: .same),
        "https://other.example/x", "/a#b", "/\("..")",
    ]
    private static let absolute = ["https://api.example.com/x?c=1", "otherOrigin", "invalidEndpoint"]
    private static let invalid = ["invalidEndpoint", "unsafeSegment"]

    /// Returns the URL that is built, or the code of the error.
    private func outcome(_ endpoint: Endpoint) -> String {
        do {
            return try BaseURL("https://api.example.com/v1").get(.data, from: endpoint).prepared().url.text
        } catch {
            return "\((error as? RequestError)?.code.rawValue ?? "\(error)")"
        }
    }

    @Test(
        "A prefix comes before every path, never before an absolute URL, and never hides the endpoint or its error",
        arguments: [
            (Named("nothing", ""), ["/a?b=1", "/a%3Fb", "/a/7", "//a//b/", ""]),
            (
                Named("a literal", "/v2?k=0"),
                ["/v2/a?k=0&b=1", "/v2/a%3Fb?k=0", "/v2/a/7?k=0", "/v2//a//b/?k=0", "/v2?k=0"]
            ),
            (Named("a value", "/v\(2)/"), ["/v2/a?b=1", "/v2/a%3Fb", "/v2/a/7", "/v2//a//b/", "/v2/"]),
            (Named("a string", Endpoint(path: "/?")), ["/%3F/a?b=1", "/%3F/a%3Fb", "/%3F/a/7", "/%3F//a//b/", "/%3F"]),
            (Named("a key", Endpoint(key: "+")), ["/%2B/a?b=1", "/%2B/a%3Fb", "/%2B/a/7", "/%2B//a//b/", "/%2B"]),
        ] as [(Named<Endpoint>, [String])]
    )
    func paths(prefix: Named<Endpoint>, expected: [String]) {
        let outcomes = Self.endpoints.map { outcome($0.prefixed(by: prefix.value)) }
        #expect(outcomes == expected.map { Self.base + $0 } + Self.absolute + Self.invalid)
    }

    @Test(
        "A prefix that is an absolute URL or invalid makes the build throw, whatever the endpoint",
        arguments: [
            Named("a link", Endpoint(absolute: URL("https://api.example.com/x"), origin: .same)),
            Named("a literal URL", "https://api.example.com/x"), Named("a fragment", "/v#2"),
        ] as [Named<Endpoint>]
    )
    func absolutePrefix(prefix: Named<Endpoint>) throws {
        for endpoint in Self.endpoints { #expect(outcome(endpoint.prefixed(by: prefix.value)) == "invalidEndpoint") }
        let oneOff: Request<BaseURL, Void> = .delete(("/a" as Endpoint).prefixed(by: prefix.value))
        let error = #expect(throws: RequestError.self) { try oneOff.prepared() }
        #expect(error?.message.contains("prefix") == (prefix.name != "a fragment"))
    }

    @Test("The prefixed endpoint of a request without an API keeps its URL")
    func oneOff() throws {
        for prefix in ["/v2", Endpoint(key: "bucket")] as [Endpoint] {
            let request: Request<BaseURL, Void> = .delete(("https://a.example/x" as Endpoint).prefixed(by: prefix))
            #expect(try request.prepared().url.text == "https://a.example/x")
        }
    }
}
