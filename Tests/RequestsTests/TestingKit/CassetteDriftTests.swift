import RequestsTesting
import Testing

@Suite("Cassette drift", .timeLimit(.minutes(5)))
struct CassetteDriftTests {
    private func recorded(_ file: CassetteFile) async throws -> Cassette {
        let server = StubTransport(routes: [
            .get("/users/1", .reply(200, jsonText: #"{"name": "Ada", "age": 36, "access_token": "s3cret1"}"#)),
            .any("/users", .reply(201, text: "created")),
        ])
        try await file.record(over: server) { cassette in
            let header: Header = [.authorization: "Bearer s3cret"]
            _ = try await cassette.exchange(.get, "https://h/users/1", header: header)
            for method in [.query, .post, .put, .patch, .delete] as [HTTPMethod] {
                _ = try await cassette.exchange(
                    method,
                    "https://h/users",
                    header: header,
                    body: .data(Data("Ada".utf8))
                )
            }
        }
        return try Cassette(file.url, mode: .replay)
    }

    @Test("an unchanged server has no drift, whatever its secrets, and gets only safe requests")
    func unchanged() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let server = StubTransport(routes: [
            .get("/users/1", .reply(200, jsonText: #"{"access_token": "other", "age": 36.0, "name": "Ada"}"#))
                .matching(.header(.authorization, "Bearer real")),
            .any("/users", .reply(201, text: "created"))
                .matching(.body(text: "Ada"), .not(.header(.authorization))),
        ])
        let drifts = try await recorded(file).drift(against: server) { request in
            if request.method == .get { request.header.set(.authorization("Bearer real")) }
        }
        #expect(drifts.isEmpty)
        try server.verify()
        #expect(server.requests.map(\.method) == [.get, .query])
    }

    @Test(
        "a request with a redacted value isn't sent unless it is replaced",
        arguments: [
            ("https://h/a?access_token=s3cret", Header.empty, ""),
            ("https://h/a", [.contentType(.urlEncodedForm)] as Header, "password=s3cret"),
            ("https://h/a", [.contentType(.json)] as Header, #"{"password": "s3cret"}"#),
            ("https://h/a", [.contentType(.json)] as Header, #"{"a": 10, "password": [7]}"#),
        ]
    )
    func redacted(_ url: String, _ header: Header, _ body: String) async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let server = StubTransport { try .stub(200, for: $0) }
        try await file.record(over: server) { cassette in
            _ = try await cassette.exchange(.query, url, header: header, body: .data(Data(body.utf8)))
        }
        let cassette = try Cassette(file.url, mode: .replay)
        let error = await #expect(throws: CassetteError.self) { try await cassette.drift(against: server) }
        #expect(error?.message.contains("can't be sent with a redacted value") == true)
        #expect(server.requests.count == 1)
        let drifts = try await cassette.drift(against: server) { request in
            request.url = try RequestURL(url)
            request.body = .data(Data(body.utf8))
        }
        #expect(drifts.isEmpty)
    }

    @Test("redacted fields and cookies are left out")
    func fields() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let server = StubTransport { try .stub(200, for: $0) }
        try await file.record(over: server) { cassette in
            let header: Header = ["Cookie": "a=1", "X-Link": "https://h/?access_token=s3cret", "X-Kept": "1"]
            _ = try await cassette.exchange(.get, "https://h/a", header: header)
        }
        let other = StubTransport { try .stub(200, for: $0) }
        #expect(try await Cassette(file.url, mode: .replay).drift(against: other).isEmpty)
        #expect(other.requests.map(\.header) == [["X-Kept": "1"]])
    }

    @Test("drift lists the status, the fields and the paths that differ, and failed exchanges")
    func changed() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let server = StubTransport(routes: [
            .get("/users/1", .reply(200, jsonText: #"{"name": "Bob", "access_token": "x", "id": 1}"#)),
            .any("/users", .failure(.cannotConnect)),
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
                QUERY https://h/users
                - status: 201
                - Content-Type: text/plain; charset=utf-8
                - body: created
                + error: cannotConnect
                """,
            ]
        )
    }

    @Test("other fields can be compared")
    func compared() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let cassette = try await recorded(file)
        let server = StubTransport { try .stub(200, header: ["X-Version": "2"], for: $0) }
        let drifts = try await cassette.drift(against: server, comparing: ["X-Version"])
        #expect(drifts.first?.difference.changes.contains(.added("X-Version: 2")) == true)
    }
}
