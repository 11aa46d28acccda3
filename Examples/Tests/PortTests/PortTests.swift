@preconcurrency import Forecasts
import Foundation
import RequestsTesting
import Synchronization
import Testing

@testable import port_a_library

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A library over a client", .timeLimit(.minutes(1)))
struct PortTests {
    private let url = URL("https://api.example.com/v1")

    private func forecasts(_ replies: StubTransport.Reply...) -> Forecasts<ClientSession> {
        Forecasts(baseURL: url, session: ClientSession(client: Client(transport: StubTransport(script: replies))))
    }

    @Test("A request of the library is answered by a stub")
    func stub() async throws {
        let stub = StubTransport(routes: [
            .get("/v1/cities/Oslo/today", .reply(200, text: "sunny"))
        ])
        let session = ClientSession(client: Client(transport: stub))
        let forecasts = Forecasts(baseURL: url, session: session)
        #expect(try await forecasts.today(in: "Oslo").text == "sunny")
    }

    @Test("The library sees every status, also those that a client doesn't accept", arguments: [404, 418])
    func status(code: Int) async throws {
        let expected = code == 404 ? ForecastError.unknownCity : .unexpectedStatus(code)
        await #expect(throws: expected) { try await forecasts(.reply(code)).today(in: "Oslo") }
        await #expect(throws: expected) { try await forecasts(.reply(code)).follow("Oslo") { _ in } }
    }

    @Test("The library catches its URLErrors", arguments: [TransportError.Code.timedOut(.idle), .cannotConnect])
    func errors(code: TransportError.Code) async throws {
        await #expect(throws: ForecastError.offline) { try await forecasts(.failure(code)).today(in: "Oslo") }
    }

    @Test("The library gets the lines of a stream before it breaks")
    func stream() async throws {
        let chunks = ["clouds\nra", "in\nsu"].map { Data($0.utf8) }
        let forecasts = forecasts(.reply(200, chunks: chunks, failure: .truncated))
        let lines = Mutex<[String]>([])
        await #expect(throws: ForecastError.interrupted) {
            try await forecasts.follow("Oslo") { forecast in lines.withLock { $0.append(forecast.text) } }
        }
        #expect(lines.withLock { $0 } == ["clouds", "rain"])
    }

    @Test("The library's callback is called once with a response or an error")
    func callback() async throws {
        func report(_ reply: StubTransport.Reply) async -> (any Error)? {
            let forecasts = forecasts(reply)
            return await withCheckedContinuation { continuation in
                forecasts.report("snow", in: "Oslo") { continuation.resume(returning: $0) }
            }
        }
        #expect(await report(.reply(204)) == nil)
        #expect(await report(.reply(404)) as? ForecastError == .unknownCity)
        #expect((await report(.failure(.cannotConnect)) as? URLError)?.code == .cannotConnectToHost)
    }

    @Test("Canceling a task of the library cancels the request")
    func cancellation() async throws {
        let forecasts = forecasts(.reply(200, text: "sunny"))
        // Its model isn't Sendable, so the task needs the import to be marked.
        let task = Task<Forecast, any Error> {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await forecasts.today(in: "Oslo")
        }
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
