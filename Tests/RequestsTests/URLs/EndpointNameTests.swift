#if FullFoundation
import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The template of an endpoint", .timeLimit(.minutes(5)))
struct EndpointNameTests {
    private enum Kind: String {
        case large
    }

    @Test("A template has {} in the place of each value, whatever the values")
    func values() {
        let name = "a/b {}%?#ü"
        #expect(("/users/\(name)/posts" as Endpoint).template == "/users/{}/posts")
        #expect(("/users/\(7)/\(Kind.large).json" as Endpoint).template == "/users/{}/{}.json")
        #expect(("/a\(1)\(2)" as Endpoint).template == "/a{}{}")
        #expect(("/files/\(segments: ["a", "b"])/raw" as Endpoint).template == "/files/{}/raw")
        #expect(("/files\(raw: "/a/b?")/x" as Endpoint).template == "/files{}/x")
        #expect(("/search?q=\(name)&limit=10" as Endpoint).template == "/search?q={}&limit=10")
        #expect(("/users" as Endpoint).template == "/users")
        #expect(("/users?page=1" as Endpoint).template == "/users?page=1")
        #expect(("" as Endpoint).template?.isEmpty == true)
    }

    @Test("The path and the query contain the values, and no mark of the template")
    func text() {
        let endpoint: Endpoint = "/users/\("é")/\(segments: ["a", "b"])\(raw: "/c")?q=\("ü")&r=\(1)"
        #expect(endpoint.path == "/users/%C3%A9/a/b/c")
        #expect(endpoint.query == "q=%C3%BC&r=1")
        #expect(endpoint == ("/users/%C3%A9/a/b/c?q=%C3%BC&r=1" as Endpoint))
        #expect(endpoint.hashValue == ("/users/%C3%A9/a/b/c?q=%C3%BC&r=1" as Endpoint).hashValue)
    }

    @Test("A prefix is a part of the template")
    func prefix() throws {
        #expect(("/users/\(1)" as Endpoint).prefixed(by: "/v2").template == "/v2/users/{}")
        #expect(("/users" as Endpoint).prefixed(by: "/v2").template == "/v2/users")
        #expect(("/users?a=\(1)" as Endpoint).prefixed(by: "/\(2)/?key=1").template == "/{}/users?key=1&a={}")
        #expect(("" as Endpoint).prefixed(by: "/v\(2)").template == "/v{}")
    }

    @Test("A string that is known only at run time has no template, because it would have any number of names")
    func opaque() throws {
        #expect(Endpoint(path: "/users/7").template == nil)
        #expect(Endpoint(key: "a/b").template == nil)
        #expect(Endpoint(path: "/users/7").prefixed(by: "/v2").template == nil)
        #expect(try PreparedRequest(url: RequestURL("https://a.example/users/7")).template == nil)
        #expect(try PreparedRequest(URLRequest(url: URL("https://a.example/users/7"))).template == nil)
    }

    @Test("A prepared request has the template, and its operation unless the options name one")
    func prepared() throws {
        let api = BaseURL("https://a.example/base")
        let request = api.get(.none, from: "/users/\(7)")
        #expect(try request.prepared().template == "/users/{}")
        #expect(try request.prepared().operation == "/users/{}")
        #expect(try request.with { $0.options.operation = "getUser" }.prepared().operation == "getUser")
        let oneOff: Request<BaseURL, Void> = .delete("https://a.example/users/\(7)")
        #expect(try oneOff.prepared().template == "/users/{}")
        #expect(try request.prepared() == api.get(.none, from: Endpoint(path: "/users/7")).prepared())
    }
}
#endif
