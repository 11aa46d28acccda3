import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Cassette drift", .timeLimit(.minutes(5)))
struct CassetteDriftTests {
    private func recorded(_ file: CassetteFile) async throws -> Cassette {
        let server = StubTransport(routes: [
            .get("/users/1", .reply(200, json: #"{"name": "Ada", "age": 36, "access_token": "s3cret1"}"#)),
            .post("/users", .reply(201, text: "created")),
        ])
        try await file.record(over: server) { cassette in
            let header: Header = [.authorization: "Bearer s3cret"]
            _ = try await cassette.exchange(.get, "https://h/users/1", header: header)
            _ = try await cassette.exchange(.post, "https://h/users", header: header, body: .data(Data("Ada".utf8)))
        }
        return try Cassette(file.url, mode: .replay)
    }

    @Test("an unchanged server has no drift, whatever its secrets")
    func unchanged() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let server = StubTransport(routes: [
            .get("/users/1", .reply(200, json: #"{"access_token": "other", "age": 36.0, "name": "Ada"}"#))
                .matching(.header(.authorization, "Bearer real")),
            .post("/users", .reply(201, text: "created")).matching(.body(text: "Ada"), .not(.header(.authorization))),
        ])
        let drifts = try await recorded(file).drift(against: server) { request in
            if request.method == .get { request.header.set(.authorization("Bearer real")) }
        }
        #expect(drifts.isEmpty)
        try server.verify()
    }

    @Test("drift lists the status, the fields and the paths that differ, and failed exchanges")
    func changed() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let server = StubTransport(routes: [
            .get("/users/1", .reply(200, json: #"{"name": "Bob", "access_token": "x", "id": 1}"#)),
            .post("/users", .failure(.cannotConnect)),
        ])
        let drifts = try await recorded(file).drift(against: server)
        #expect(
            drifts.map(\.description) == [
                """
                GET https://h/users/1
                - body.age: 36
                - body.name: "Ada"
                + body.id: 1
                + body.name: "Bob"
                """,
                """
                POST https://h/users
                - status: 201
                - Content-Type: text/plain; charset=utf-8
                - body: created
                + error: cannotConnect
                """,
            ]
        )
    }

    @Test("other fields can be compared")
    func fields() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let cassette = try await recorded(file)
        let server = StubTransport { try .stub(200, header: ["X-Version": "2"], for: $0) }
        let drifts = try await cassette.drift(against: server, comparing: ["X-Version"])
        #expect(drifts.first?.difference.changes.contains(.added("X-Version: 2")) == true)
    }
}
