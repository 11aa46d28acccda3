import Foundation
import Requests
import RequestsClient
import Testing

@testable import RequestsTesting

@Suite("The log of a stub", .timeLimit(.minutes(5)))
struct StubLogTests {
    private func request(_ path: String, bytes: Int? = nil) throws -> PreparedRequest {
        try PreparedRequest(
            method: .put,
            url: RequestURL("https://h\(path)"),
            body: bytes.map { .data(Data(count: $0)) } ?? .none
        )
    }

    @Test("all requests are kept and counted until a reset")
    func count() async throws {
        let stub = StubTransport(routes: [.put("/a").expecting(calls: 10_001), .get("/b")])
        let request = try request("/a")
        for _ in 0..<10_001 { _ = try await stub.send(request) }
        #expect(stub.requests.count == 10_001)
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.routes == ["GET /b was called 0 times, not at least 1"])
        stub.reset()
        #expect(stub.requests.isEmpty)
    }

    @Test("a body that is read after a reset belongs to no listed request")
    func late() throws {
        let log = StubLog()
        let late = log.append(try request("/late"))
        log.reset()
        let number = log.append(try request("/a", bytes: 6))
        log.update(try request("/late", bytes: 100), at: late)
        log.note(.route(1), at: late)
        log.update(try request("/a", bytes: 4), at: number)
        #expect(log.entries.map { $0.request.body.data?.count } == [4])
        #expect(log.entries.map(\.outcome) == [.other])
    }

    @Test("each request without a reply is listed")
    func unmatched() async throws {
        let stub = StubTransport(script: [])
        for index in 0..<102 { _ = try? await stub.send(request("/\(index)")) }
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.unmatched.count == 102)
    }
}
