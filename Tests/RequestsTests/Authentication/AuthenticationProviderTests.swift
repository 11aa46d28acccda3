import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("An authentication provider")
struct AuthenticationProviderTests {
    private let api = AnonymousRequestProvider("https://api.example.com")

    private func authorization(_ provider: AuthenticationProvider) throws -> String? {
        try api.get(.data, from: "/").authenticated(with: provider).prepared().header[.authorization]
    }

    @Test("`.none` changes nothing")
    func none() throws {
        let header: Header = [.accept(.json), .authorization("own")]
        #expect(
            try api.get(.data, from: "/").with(header: header).authenticated(with: .none).prepared().header == header
        )
    }

    @Test("`.bearerToken` sets Authorization, in the place of what was there")
    func bearer() throws {
        #expect(try authorization(.bearerToken("abc.def-_~+/=")) == "Bearer abc.def-_~+/=")
        let request = api.get(.data, from: "/").adding(headerFields: .authorization("a"), .authorization("b"))
        #expect(try request.authenticated(with: .bearerToken("t")).prepared().header == [.authorization("Bearer t")])
    }

    @Test(
        "`.basicAuth` sends user name and password in UTF-8 and Base64",
        arguments: [
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "dGVzdDoxMjPCow=="),
            ("", "", "Og=="),
            ("user", "a:b:c", "dXNlcjphOmI6Yw=="),
        ]
    )
    func basic(username: String, password: String, encoded: String) throws {
        #expect(try authorization(.basicAuth(username: username, password: password)) == "Basic \(encoded)")
    }

    @Test(
        "a colon in the user name makes the build throw, and the error tells no secret",
        arguments: [":", "a:b", "s3cret:", ":\u{301}a"]
    )
    func colon(username: String) {
        let error = #expect(throws: RequestError.self) {
            try authorization(.basicAuth(username: username, password: "s3cret"))
        }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.culprit == "username")
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test(
        "a token with a line break makes the build throw, and the error tells no secret",
        arguments: ["s3cret\r\nX: y", "s3\ncret", "s3cret\0"]
    )
    func lineBreak(token: String) {
        let error = #expect(throws: RequestError.self) { try authorization(.bearerToken(token)) }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.culprit == "Authorization")
        #expect(error.map { "\($0)".contains("s3") } == false)
    }

    @Test("an own provider runs at each build, and its error arrives as it is")
    func own() throws {
        struct Expired: Error, Equatable {}
        let calls = Recorder<Void>()
        let provider = AuthenticationProvider { header in
            calls.record()
            if calls.count > 2 { throw Expired() }
            header.set(.authorization("Own \(calls.count)"))
        }
        #expect(try authorization(provider) == "Own 1")
        #expect(try authorization(provider) == "Own 2")
        #expect(throws: Expired()) { try authorization(provider) }
    }

    @Test("a provider that sees the whole request runs only in a client: every build without one throws")
    func asynchronous() throws {
        let calls = Recorder<Void>()
        let request = api.get(.data, from: "/").authenticated(
            with: AuthenticationProvider { (request: inout PreparedRequest) in
                calls.record()
                request.header.set(.authorization("late"))
            }
        )
        for build in [
            { _ = try request.prepared() }, { _ = try request.toURLRequest() }, { _ = try request.curlCommand() },
        ] {
            let error = #expect(throws: RequestError.self) { try build() }
            #expect(error?.code == .asynchronousAuthentication)
            #expect(error?.culprit == "authenticationProvider")
            #expect(error?.message.contains("Client") == true)
        }
        var header = Header.empty
        #expect(throws: RequestError.self) { try request.authenticationProvider.update(&header) }
        #expect(calls.count == 0)
        #expect(request.description == "GET https://api.example.com/", "printing does not authenticate")
    }

    @Test("printing a provider, or a request that has one, shows no credential")
    func printing() {
        let provider = AuthenticationProvider.basicAuth(username: "s3cret", password: "s3cret")
        let request = api.get(.data, from: "/").authenticated(with: provider)
        #expect(
            !"\(provider) \(String(reflecting: provider)) \(request) \(String(reflecting: request))".contains("s3cret")
        )
    }
}
