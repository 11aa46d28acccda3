import Foundation
import HTTPTypes
@_spi(Generated) import OpenAPIRuntime
import RequestsCurl
import RequestsOpenAPI
import RequestsTesting

/// Calls operations of an API as generated code does, over a client and over a stub.
@main
struct OpenAPIExample {
    static func main() async throws {
        let server = try LoopbackServer.http { request in .init(200, .plainText, "\(request.line) from a server") }
        let client = RequestsClient.Client(transport: CurlTransport.shared)
        print("Over libcurl, with the client's retries, redirects and logs:")
        let pets = PetStore(
            serverURL: server.baseURL,
            transport: OpenAPITransport(over: client)
        )
        print(try await pets.listPets())

        print("\nOver a stub, whose routes name the operation:")
        let stub = StubTransport(routes: [
            .operation("listPets", .reply(200, text: "no pets"))
        ])
        let stubbed = OpenAPITransport(over: RequestsClient.Client(transport: stub))
        print(try await PetStore(serverURL: server.baseURL, transport: stubbed).listPets())
        withExtendedLifetime(server) {}
    }
}

/// What the generator makes of an API with one operation.
private struct PetStore {
    private let client: UniversalClient

    init(serverURL: URL, transport: any ClientTransport) {
        client = UniversalClient(serverURL: serverURL, transport: transport)
    }

    func listPets() async throws -> String {
        try await client.send(
            input: (),
            forOperation: "listPets",
            serializer: { _ in (HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/pets"), nil) },
            deserializer: { _, body in try await String(collecting: body ?? HTTPBody(), upTo: 1 << 20) }
        )
    }
}
