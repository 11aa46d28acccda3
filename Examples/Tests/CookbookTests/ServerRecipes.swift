import Foundation
import RequestsTesting
import ServerNames
import Testing

typealias APIRequest<API: RequestProviding, Resource: Sendable> =
    Requests.Request<API, Resource>
typealias APIClient = RequestsClient.Client

struct Weather: RequestProviding {
    let baseURL = URL("https://weather.example.com")

    func forecast(in city: String) -> APIRequest<Weather, String> {
        get(.text, from: "/cities/\(city)")
    }
}

@Suite("Cookbook: servers", .timeLimit(.minutes(5)))
struct ServerRecipes {
    @Test("Use Requests in a Vapor or Hummingbird project")
    func names() async throws {
        let stub = StubTransport(routes: [.get("/cities/{name}", .reply(200, text: "sunny"))])
        let client = APIClient(transport: stub)
        // The names that both modules have are ambiguous without their module.
        let incoming = ServerNames.Request(path: "/weather/São Paulo")
        let city = incoming.path.split(separator: "/").last.map(String.init) ?? ""
        let response = ServerNames.Response(body: try await client.send(Weather().forecast(in: city)))
        #expect(response.body == "sunny")
        #expect(stub.requests.first?.url.path == "/cities/S%C3%A3o%20Paulo")
    }
}
