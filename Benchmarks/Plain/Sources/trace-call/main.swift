// One call with a refreshed token, a redirect and a retry, for scripts/trace-call, which lists the functions that it
// enters.

import CEntries
import Foundation
import RequestsClient
import Synchronization

/// Responds with 401, 302 and 503, and then with a body.
final class Replies: Transport {
    let capabilities = TransportCapabilities()
    private let sent = Atomic(0)

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        let status = [401, 302, 503, 200][sent.wrappingAdd(1, ordering: .relaxed).oldValue]
        let location = Field(name: .location, value: "/moved")
        let header: Header = status == 302 ? [location] : .empty
        return try Response(status: status, header: header, body: Data("1".utf8), for: request)
    }
}

var configuration = Client.Configuration()
configuration.retries = .fixed(.zero)
configuration.cookies = CookieStore()
configuration.authenticate(
    "https://api.example.com",
    with: .refreshing(TokenStore(AccessToken("old")) { _ in AccessToken("new") })
)
let client = Client(transport: Replies(), configuration: configuration)
let api = BaseURL("https://api.example.com")

entries_start()
let text = try await client.send(api.get(.text, from: "/start"))
entries_stop()
precondition(text == "1")
