import Foundation
import HTTPTypes
@_spi(Generated) import OpenAPIRuntime
import RequestsOpenAPI
import RequestsTesting
import Testing

extension OpenAPITransportTests {
    /// Calls an operation as generated code does.
    private func callOperation(over transport: OpenAPITransport) async throws -> String {
        try await UniversalClient(serverURL: server, transport: transport)
            .send(
                input: "Ada",
                forOperation: "createPet",
                serializer: { ($0 == "" ? self.request() : self.request(.post), HTTPBody($0)) },
                deserializer: { try await String(collecting: $1 ?? HTTPBody(), upTo: 100) }
            )
    }

    @Test("Generated code gets the response")
    func generated() async throws {
        let stub = StubTransport(routes: [.operation("createPet", .reply(200, text: "made"))])
        #expect(try await callOperation(over: transport(stub)) == "made")
        try stub.verify()
    }

    @Test("The error of generated code contains the client's, and the log names the operation")
    func failure() async throws {
        let stub = StubTransport(script: [.failure(.timedOut(.connect))])
        let error = await #expect(throws: OpenAPIRuntime.ClientError.self) {
            try await callOperation(over: transport(stub))
        }
        #expect((error?.underlyingError as? TransportError)?.isTimeout == true)
        #expect(error?.operationID == "createPet")
    }
}
