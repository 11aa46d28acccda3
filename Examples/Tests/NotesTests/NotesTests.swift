import Foundation
import Notes
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("What the client makes of answers", .timeLimit(.minutes(5)))
struct NotesTests {
    private let milk = Note(id: 1, text: "milk")
    private let bread = Note(id: 2, text: "bread")

    /// A client of a server that answers by these routes, and what it was asked.
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

    @Test("a note comes with its version")
    func note() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(200, header: [Field(name: .eTag, value: "\"v1\"")], json: milk)))
        #expect(try await notes.note(1) == Note(id: 1, text: "milk", version: "v1"))
    }

    @Test("a note without a version has none")
    func untagged() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(200, json: milk)))
        #expect(try await notes.note(1) == milk)
    }

    @Test("a note that has not changed is the one that is known")
    func unchanged() async throws {
        let (notes, transport) = notes(.get("/notes/1", .reply(304)))
        let known = Note(id: 1, text: "milk", version: "v1")
        #expect(try await notes.note(1, known: known) == known)
        #expect(transport.requests.map { $0.header[.ifNoneMatch] } == ["\"v1\""])
    }

    @Test("a note that has changed replaces the one that is known")
    func changed() async throws {
        let header: Header = [Field(name: .eTag, value: "\"v2\"")]
        let (notes, _) = notes(.get("/notes/1", .reply(200, header: header, json: Note(id: 1, text: "oat milk"))))
        let latest = try await notes.note(1, known: Note(id: 1, text: "milk", version: "v1"))
        #expect(latest == Note(id: 1, text: "oat milk", version: "v2"))
    }

    @Test("that nothing has changed is no answer where nothing is known")
    func unchangedUnknown() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(304)))
        await #expect(throws: NotesError.unreadable("there is no note in the answer")) { try await notes.note(1) }
    }

    @Test("a search reads page after page")
    func pages() async throws {
        let next: Header = [Field(name: "Link", value: "</notes?page=2>; rel=\"next\"")]
        let (notes, transport) = notes(
            .get("/notes?page=2", .reply(200, json: [bread])),
            .get("/notes?q=m", .reply(200, header: next, json: [milk]))
        )
        #expect(try await notes.search("m") == [milk, bread])
        #expect(transport.requests.count == 2)
    }

    @Test("a search that fails on a later page gives nothing")
    func brokenPage() async throws {
        let next: Header = [Field(name: "Link", value: "</notes?page=2>; rel=\"next\"")]
        let (notes, _) = notes(
            .get("/notes?page=2", .failure(.truncated)),
            .get("/notes?q=m", .reply(200, header: next, json: [milk]))
        )
        await #expect(throws: NotesError.unreachable(.truncated)) { try await notes.search("m") }
    }

    @Test("a replacement gives the new version")
    func replacement() async throws {
        let (notes, _) = notes(.put("/notes/1", .reply(204, header: [Field(name: .eTag, value: "\"v2\"")])))
        let new = try await notes.replace(Note(id: 1, text: "milk", version: "v1"), text: "oat milk")
        #expect(new == Note(id: 1, text: "oat milk", version: "v2"))
    }

    @Test("an addition is tried again, with the same key")
    func addition() async throws {
        let (notes, transport) = notes(
            retries: .fixed(.zero, limit: 1),
            .post("/notes", .failure(.closed), then: .reply(201, json: milk))
        )
        #expect(try await notes.add("milk", key: "k1") == milk)
        #expect(transport.requests.map { $0.header[.idempotencyKey] } == ["k1", "k1"])
    }

    @Test(
        "a status is an error of the API",
        arguments: [
            (401, NotesError.unauthorized), (404, .notFound), (412, .changedMeanwhile), (507, .refused("too many")),
        ]
    )
    func status(code: Int, error: NotesError) async throws {
        let (notes, _) = notes(.put("/notes/1", .reply(code, json: ["title": "too many"])))
        await #expect(throws: error) {
            try await notes.replace(Note(id: 1, text: "milk", version: "v1"), text: "oat milk")
        }
    }

    @Test("a refusal without a reason says its status")
    func unexplained() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(500, text: "<html>")))
        await #expect(throws: NotesError.refused("status 500")) { try await notes.note(1) }
    }

    @Test(
        "a server that is not there, or not for long, is unreachable",
        arguments: [
            TransportError.Code.cannotConnect, .timedOut(.idle), .tlsUntrusted,
        ]
    )
    func unreachable(code: TransportError.Code) async throws {
        let (notes, _) = notes(.get("/notes/1", .failure(code)))
        await #expect(throws: NotesError.unreachable(code)) { try await notes.note(1) }
    }

    @Test("an answer that is no note says where it is none")
    func unreadable() async throws {
        let (notes, _) = notes(.get("/notes/1", .reply(200, text: #"{"id": "one"}"#)))
        let error = await #expect(throws: NotesError.self) { try await notes.note(1) }
        guard case .unreadable(let reason) = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
        #expect(reason.contains(".id isn't an Int"))
    }

    @Test("a request that nobody expected is a mistake of the test, and says so")
    func unmatched() async throws {
        let (notes, _) = notes(.get("/notes/2", .reply(200, json: bread)))
        await #expect(throws: NotesError.unreachable(.unmatched)) { try await notes.note(1) }
    }

    @Test("a task that is cancelled is no failure")
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
