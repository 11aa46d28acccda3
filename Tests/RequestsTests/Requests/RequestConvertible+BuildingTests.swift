#if FullFoundation
import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Request building", .timeLimit(.minutes(5)))
struct RequestBuildingTests {
    private struct Observed: RequestConvertible {
        typealias Resource = Void
        let reads = Recorder<String>()

        var baseURL: URL {
            reads.record("baseURL")
            return URL("https://api.example.com/v1")
        }
        var endpoint: Endpoint { "/a" }
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

    @Test("the base URL is read once per build")
    func baseURL() throws {
        let request = Observed()
        _ = try request.prepared()
        #expect(request.reads.recorded.filter { $0 == "baseURL" }.count == 1)
        _ = try request.toURLRequest()
        _ = try request.curlCommand()
        #expect(request.reads.recorded.filter { $0 == "baseURL" }.count == 3)
    }

    @Test("the header, the body provider and the authentication provider are applied in order, and later fields win")
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

    @Test("repeated builds are equal, and the URLRequest and curl command are those of the prepared request")
    func consistency() throws {
        let request = BaseURL("https://h/?a=1").post(.text("x"), to: "/\("p/q")")
            .with(query: ["b": 2]).authenticated(with: .basicAuth(username: "u", password: "p"))
        let prepared = try request.prepared()
        #expect(try prepared == request.prepared())
        #expect(try request.toURLRequest() == URLRequest(prepared))
        #expect(try request.curlCommand() == prepared.curlCommand())
        #expect(try request.curlCommand(revealingSecrets: true) == prepared.curlCommand(revealingSecrets: true))
    }

    private struct CustomError: Error, Equatable {}

    @Test("the errors of providers are rethrown")
    func providerErrors() {
        let api = BaseURL("https://h")
        let body = api.post(BodyProvider { _ in throw CustomError() }, to: "/")
        let provider = AuthenticationProvider { _ in throw CustomError() }
        let authentication = api.get(.data, from: "/").authenticated(with: provider)
        #expect(throws: CustomError()) { try body.prepared() }
        #expect(throws: CustomError()) { try body.toURLRequest() }
        #expect(throws: CustomError()) { try body.curlCommand() }
        #expect(throws: CustomError()) { try authentication.prepared() }
    }

    @Test("providers don't run if the URL can't be built")
    func urlFirst() {
        let calls = Recorder<Void>()
        let body = BodyProvider { _ in
            calls.record()
            return .none
        }
        #expect(throws: RequestError.self) {
            try BaseURL("https://h").post(body, to: "/..").prepared()
        }
        #expect(calls.count == 0)
    }

    @Test("the fields that providers add to the header are validated")
    func providersAreChecked() {
        let api = BaseURL("https://h")
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
}
#endif
