import Foundation
import Requests
import Testing

@Suite("A URL literal", .timeLimit(.minutes(5)))
struct URLStaticStringTests {
    @Test("is the URL it spells")
    func literal() {
        #expect(URL("https://api.example.com/v1").absoluteString == "https://api.example.com/v1")
        #expect(AnonymousRequestProvider("https://api.example.com/v1").baseURL == URL("https://api.example.com/v1"))
    }

    @Test("with a fault is refused for that fault")
    func fault() {
        let api = AnonymousRequestProvider("https://exa mple.com/api")
        let error = #expect(throws: InvalidRequestURLError.self) { try api.get(.data, from: "/a").prepared() }
        #expect(error?.code == .invalidHost)
        #expect(error?.message.contains("exa") == true)
    }

    @Test(
        "without a scheme is refused for that",
        arguments: [
            AnonymousRequestProvider("127.0.0.1:8080/v1"), AnonymousRequestProvider("api.example.com/v1"),
            AnonymousRequestProvider(""), AnonymousRequestProvider("::1"),
        ]
    )
    func relative(api: AnonymousRequestProvider) {
        let error = #expect(throws: InvalidRequestURLError.self) { try api.get(.data, from: "/a").prepared() }
        #expect(error?.message.hasPrefix("there is no scheme in ") == true)
    }

    @Test("that Foundation does not read does not trap: every build of a request refuses it")
    func unreadable() {
        let api = AnonymousRequestProvider("https://[::1")
        #expect(throws: InvalidRequestURLError.self) { try api.get(.data, from: "/a").prepared() }
        #expect(throws: InvalidRequestURLError.self) {
            try AnonymousRequestProvider("").get(.data, from: "").toURLRequest()
        }
    }
}
