import Foundation
import RequestsTesting

/// What the recipes share: an API, and clients whose servers are stubs.
struct Kitchen {
    let api = BaseURL("https://api.example.com")

    struct User: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    static let ada = #"{"id": 1, "name": "Ada"}"#

    /// A client whose server sends replies one after another.
    func client(
        _ replies: StubTransport.Reply...,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = TestClock(isImmediate: true)
        configure(&configuration)
        return Client(transport: StubTransport(script: replies), configuration: configuration)
    }
}
