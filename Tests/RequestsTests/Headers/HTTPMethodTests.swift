#if FullFoundation
import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Request methods", .timeLimit(.minutes(5)))
struct HTTPMethodTests {
    private let api = BaseURL("https://api.example.com")

    @Test(
        "the standard methods are spelled as in RFC 9110 and RFC 5789",
        arguments: [
            (.connect, "CONNECT"), (.delete, "DELETE"), (.get, "GET"), (.head, "HEAD"), (.options, "OPTIONS"),
            (.patch, "PATCH"), (.post, "POST"), (.put, "PUT"), (.trace, "TRACE"),
        ] as [(HTTPMethod, String)]
    )
    func standard(method: HTTPMethod, spelling: String) {
        #expect(method.rawValue == spelling)
        #expect("\(method)" == spelling)
        #expect(method == HTTPMethod(rawValue: spelling))
        #expect(method != HTTPMethod(rawValue: spelling.lowercased()))
    }

    @Test(
        "a custom method is case-sensitive and sent as written, also by Foundation",
        arguments: ["PURGE", "M-SEARCH", "PROPFIND", "purge"]
    )
    func custom(method: String) throws {
        let request = api.request(to: "/", using: HTTPMethod(rawValue: method))
        #expect(try request.prepared().method.rawValue == method)
        #expect(try request.toURLRequest().httpMethod == method)
    }

    @Test(
        "a method that isn't a token makes the build throw an error that names it",
        arguments: [
            "", " ", "GET ", "G ET", "GET\r\nX: 1", "GET\n", "GET\0", "GÉT", "GET/", "(GET)", "GET\u{301}", "\"GET\"",
        ]
    )
    func illegal(method: String) {
        let request = api.request(to: "/", using: HTTPMethod(rawValue: method))
        for build in [
            { _ = try request.prepared() }, { _ = try request.toURLRequest() }, { _ = try request.curlCommand() },
        ] {
            let error = #expect(throws: RequestError.self) { try build() }
            #expect(error?.code == .invalidMethod)
            #expect(error?.subject == method)
            #expect(error?.message.contains { $0.isNewline } == false)
        }
    }

    @Test(
        "only the methods that RFC 9110 calls idempotent are idempotent, and custom methods aren't",
        arguments: [
            (.get, true), (.head, true), (.options, true), (.trace, true), (.put, true), (.delete, true),
            (.post, false),
            (.patch, false), (.connect, false), ("PURGE", false), ("get", false),
        ] as [(HTTPMethod, Bool)]
    )
    func idempotent(method: HTTPMethod, isIdempotent: Bool) {
        #expect(method.isIdempotent == isIdempotent)
    }

    @Test(
        "only the methods that RFC 9110 calls safe and QUERY are safe",
        arguments: [
            (.get, true), (.head, true), (.options, true), (.trace, true), (.query, true), (.put, false),
            (.delete, false), (.post, false), (.patch, false), (.connect, false), ("get", false),
        ] as [(HTTPMethod, Bool)]
    )
    func safe(method: HTTPMethod, isSafe: Bool) {
        #expect(method.isSafe == isSafe)
    }

    @Test("the method is validated before the body is made")
    func order() {
        let calls = Recorder<Void>()
        let body = BodyProvider { _ in
            calls.record()
            return .none
        }
        #expect(throws: RequestError.self) { try api.request(to: "/", using: "no token").sending(body).prepared() }
        #expect(calls.count == 0)
    }
}
#endif
