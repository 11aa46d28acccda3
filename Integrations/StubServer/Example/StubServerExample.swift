import Foundation
import RequestsCurl
import RequestsStubServer
import RequestsTesting

/// A request that a stub answers over TLS and HTTP/2.
@main
struct StubServerExample {
    static func main() async throws {
        let stub = StubTransport(routes: [
            .get("/users/{id}", .reply(200, jsonText: #"{"name": "Ada"}"#))
        ])
        try await StubServer.run(stub) { server in
            let transport = try CurlTransport(
                configuration: .trusting(server)
            )
            let user = BaseURL(server.baseURL).get(.text, from: "/users/7")
            let response = try await Client(transport: transport)
                .response(for: user)
            // HTTP/2 {"name": "Ada"}
            print(response.head.httpVersion ?? .http1_1, response.content)
        }
        try stub.verify()
    }
}
