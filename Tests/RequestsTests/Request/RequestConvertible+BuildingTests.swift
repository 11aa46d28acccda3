import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Building a request", .timeLimit(.minutes(5)))
struct RequestBuildingTests {
    private struct Observed: RequestConvertible {
        typealias Resource = Void
        let reads = Recorder<String>()

        var baseURL: URL {
            reads.record("baseURL")
            return URL("https://api.example.com/v1")
        }
        var endpoint: String { "/a" }
        var method: HTTPMethod { .post }
        var header: Header { [Field(name: "X", value: "request"), .contentType(.xml), .authorization("request")] }
        var bodyProvider: BodyProvider {
            BodyProvider { header in
                reads.record("body")
                header.set(Field(name: "X", value: "body"))
                header.set(.authorization("body"))
                return .data(Data("b".utf8))
            }
        }
        var authenticationProvider: AuthenticationProvider {
            AuthenticationProvider { header in
                reads.record("authentication")
                header.set(.authorization((header["X"] ?? "") + "+authentication"))
            }
        }
    }

    @Test("reads the base URL once per build")
    func baseURL() throws {
        let request = Observed()
        _ = try request.prepared()
        #expect(request.reads.recorded.filter { $0 == "baseURL" }.count == 1)
        _ = try request.toURLRequest()
        _ = try request.curlCommand()
        #expect(request.reads.recorded.filter { $0 == "baseURL" }.count == 3)
    }

    @Test("applies the request's header, then the body provider, then the authentication provider; later wins")
    func order() throws {
        let request = Observed()
        let prepared = try request.prepared()
        #expect(request.reads.recorded == ["baseURL", "body", "authentication"])
        #expect(
            prepared.header == [
                Field(name: "X", value: "body"), .contentType(.xml), .authorization("body+authentication"),
            ]
        )
    }

    @Test("gives the same request each time, and the Foundation request and the curl command of that")
    func consistency() throws {
        let request = AnonymousRequestProvider("https://h/?a=1").post(.text("x"), to: "/\("p/q")")
            .with(query: ["b": nil]).authenticated(with: .basicAuth(username: "u", password: "p"))
        let prepared = try request.prepared()
        #expect(try prepared == request.prepared())
        #expect(try request.toURLRequest() == URLRequest(prepared))
        #expect(try request.curlCommand() == prepared.curlCommand())
        #expect(try request.curlCommand(revealingSecrets: true) == prepared.curlCommand(revealingSecrets: true))
    }

    private struct Own: Error, Equatable {}

    @Test("throws the own errors of providers as they are")
    func ownErrors() {
        let api = AnonymousRequestProvider("https://h")
        let body = api.post(BodyProvider { _ in throw Own() }, to: "/")
        let authentication = api.get(.data, from: "/").authenticated(with: AuthenticationProvider { _ in throw Own() })
        #expect(throws: Own()) { try body.prepared() }
        #expect(throws: Own()) { try body.toURLRequest() }
        #expect(throws: Own()) { try body.curlCommand() }
        #expect(throws: Own()) { try authentication.prepared() }
    }

    @Test("does not run the providers of a request whose URL cannot be built")
    func urlFirst() {
        let calls = Recorder<Void>()
        let body = BodyProvider { _ in
            calls.record()
            return .none
        }
        #expect(throws: InvalidRequestURLError.self) {
            try AnonymousRequestProvider("https://h").post(body, to: "/..").prepared()
        }
        #expect(calls.count == 0)
    }

    @Test("checks what the providers put into the header")
    func providersAreChecked() {
        let api = AnonymousRequestProvider("https://h")
        let body = BodyProvider { header in
            header.add(Field(name: "X", value: "a\nb"))
            return .none
        }
        let authentication = AuthenticationProvider { header in header.add(Field(name: "a b", value: "")) }
        let value = #expect(throws: RequestError.self) { try api.post(body, to: "/").prepared() }
        #expect(value?.code == .invalidFieldValue)
        let request = api.get(.data, from: "/").authenticated(with: authentication)
        let name = #expect(throws: RequestError.self) { try request.prepared() }
        #expect(name?.code == .invalidFieldName)
    }

    @Test("an error of a request is one line that is printed as its code and message, everywhere the same")
    func errorText() throws {
        let request = AnonymousRequestProvider("https://h").request(to: "/", using: "G\nT")
        let error = try #require(#expect(throws: RequestError.self) { try request.prepared() })
        #expect(error.description == "invalidMethod: the method “G\\nT” is not a token; use letters, digits and -")
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
        #expect(error.code.description == "invalidMethod")
    }
}
