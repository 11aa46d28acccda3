import Foundation
import Notes
import RequestsTesting
import Testing

@Suite("Notes client", .timeLimit(.minutes(5)))
struct NotesTests {
    private let milk = Note(id: 1, text: "milk")
    private let bread = Note(id: 2, text: "bread")

    /// Returns a client of a stub with these routes, and the stub.
    private func notes(
        retries: RetryPolicy = .never,
        _ routes: StubTransport.Route...
    ) -> (notes: Notes, transport: StubTransport) {
        let transport = StubTransport(routes: routes)
        var configuration = Client.Configuration()
        configuration.retries = retries
        let api = NotesAPI(baseURL: URL("https://notes.example.com"), token: "s3cret")
        return (Notes(api, client: Client(transport: transport, configuration: configuration)), transport)
    }

    @Test("A note has the version from the response")
    func note() async throws {
        let tag: Header = [Field(name: .eTag, value: "\"v1\"")]
        let (notes, _) = notes(.get("/notes/1", .reply(200, header: tag, json: milk)))
        #expect(try await notes.note(1) == Note(id: 1, text: "milk", version: "v1"))
    }

    @Test("A note has no version if the response has none")
    func untagged() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(200, json: milk)))
        #expect(try await notes.note(1) == milk)
    }

    @Test("An unchanged note is the known one")
    func unchanged() async throws {
        let (notes, transport) = notes(.get("/notes/1", .reply(304)))
        let known = Note(id: 1, text: "milk", version: "v1")
        #expect(try await notes.note(1, known: known) == known)
        #expect(transport.requests.map { $0.header[.ifNoneMatch] } == ["\"v1\""])
    }

    @Test("A changed note replaces the known one")
    func changed() async throws {
        let header: Header = [Field(name: .eTag, value: "\"v2\"")]
        let (notes, _) = notes(.get("/notes/1", .reply(200, header: header, json: Note(id: 1, text: "oat milk"))))
        let latest = try await notes.note(1, known: Note(id: 1, text: "milk", version: "v1"))
        #expect(latest == Note(id: 1, text: "oat milk", version: "v2"))
    }

    @Test("A 304 without a known note is an invalid response")
    func unchangedUnknown() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(304)))
        let error = NotesError.invalidResponse("the response for note 1 contains no note; check the server")
        await #expect(throws: error) { try await notes.note(1) }
    }

    @Test("A search reads all pages")
    func pages() async throws {
        let next: Header = [Field(name: "Link", value: "</notes?page=2>; rel=\"next\"")]
        let (notes, transport) = notes(
            .get("/notes?page=2", .reply(200, json: [bread])),
            .get("/notes?q=m", .reply(200, header: next, json: [milk]))
        )
        #expect(try await notes.search("m") == [milk, bread])
        #expect(transport.requests.count == 2)
    }

    @Test("A search that fails on a later page throws")
    func brokenPage() async throws {
        let next: Header = [Field(name: "Link", value: "</notes?page=2>; rel=\"next\"")]
        let (notes, _) = notes(
            .get("/notes?page=2", .failure(.truncated)),
            .get("/notes?q=m", .reply(200, header: next, json: [milk]))
        )
        await #expect(throws: NotesError.unreachable(.truncated)) { try await notes.search("m") }
    }

    @Test("A replacement returns the new version")
    func replacement() async throws {
        let (notes, _) = notes(.put("/notes/1", .reply(204, header: [Field(name: .eTag, value: "\"v2\"")])))
        let new = try await notes.replace(Note(id: 1, text: "milk", version: "v1"), text: "oat milk")
        #expect(new == Note(id: 1, text: "oat milk", version: "v2"))
    }

    @Test("An addition is retried with the same key")
    func addition() async throws {
        let (notes, transport) = notes(
            retries: .fixed(.zero, limit: 1),
            .post("/notes", .failure(.closed), then: .reply(201, json: milk))
        )
        #expect(try await notes.add("milk", key: "k1") == milk)
        #expect(transport.requests.map { $0.header[.idempotencyKey] } == ["k1", "k1"])
    }

    @Test(
        "A status code becomes an error of the API",
        arguments: [
            (401, NotesError.unauthorized), (404, .notFound), (412, .conflict), (507, .rejected("too many")),
        ]
    )
    func status(code: Int, error: NotesError) async throws {
        let (notes, _) = notes(.put("/notes/1", .reply(code, json: ["title": "too many"])))
        await #expect(throws: error) {
            try await notes.replace(Note(id: 1, text: "milk", version: "v1"), text: "oat milk")
        }
    }

    @Test("A rejection without a reason has the status code")
    func unexplained() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(500, text: "<html>")))
        await #expect(throws: NotesError.rejected("status 500")) { try await notes.note(1) }
    }

    @Test(
        "Connection errors and timeouts become unreachable",
        arguments: [
            TransportError.Code.cannotConnect, .timedOut(.idle), .tlsUntrusted,
        ]
    )
    func unreachable(code: TransportError.Code) async throws {
        let (notes, _) = notes(.get("/notes/1", .failure(code)))
        await #expect(throws: NotesError.unreachable(code)) { try await notes.note(1) }
    }

    @Test("An invalid response names the invalid value")
    func invalidResponse() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(200, text: #"{"id": "one"}"#)))
        let error = await #expect(throws: NotesError.self) { try await notes.note(1) }
        guard case .invalidResponse(let reason) = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
        #expect(reason.contains(".id isn't an Int"))
    }

    @Test("A request without a route fails as unmatched")
    func unmatched() async throws {
        let (notes, _) = notes(.get("/notes/2", .reply(200, json: bread)))
        await #expect(throws: NotesError.unreachable(.unmatched)) { try await notes.note(1) }
    }

    @Test("A canceled task throws CancellationError")
    func cancelled() async throws {
        let (notes, transport) = notes(.get("/notes/1", .reply(200, json: milk)))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await notes.note(1)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.isEmpty)
    }
}
