import Foundation
import Requests
import Testing

@Suite("A URL literal")
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

    @Test("that Foundation does not read does not trap: every build of a request refuses it")
    func unreadable() {
        let api = AnonymousRequestProvider("https://[::1")
        #expect(throws: InvalidRequestURLError.self) { try api.get(.data, from: "/a").prepared() }
        #expect(throws: InvalidRequestURLError.self) {
            try AnonymousRequestProvider("").get(.data, from: "").toURLRequest()
        }
    }
}
