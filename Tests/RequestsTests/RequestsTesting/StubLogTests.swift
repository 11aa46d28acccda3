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

    @Test("the last 10,000 requests are kept, and all are counted")
    func count() async throws {
        let stub = StubTransport(routes: [.put("/a").expecting(calls: 10_001), .get("/b")])
        let request = try request("/a")
        for _ in 0..<10_001 { _ = try await stub.send(request) }
        #expect(stub.requests.count == 10_000)
        #expect(stub.forgottenRequestCount == 1)
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.routes == ["GET /b was called 0 times, not at least 1"])
    }

    @Test("the last 64 MiB of bodies are kept, and reading an earlier one throws")
    func bodies() async throws {
        let stub = StubTransport { try .stub(200, for: $0) }
        for index in 0..<5 { _ = try await stub.send(request("/\(index)", bytes: 15 << 20)) }
        #expect(stub.requests.map { $0.body.data?.count } == [nil, 15 << 20, 15 << 20, 15 << 20, 15 << 20])
        let first = try #require(stub.requests.first)
        #expect(first.body.length == 15 << 20)
        let error = await #expect(throws: RequestError.self) { try await first.body.collect(upTo: .max) }
        #expect(error?.message.contains("The stub no longer has this body") == true)
    }

    @Test("forgotten requests give back their bytes, and a body that arrives late isn't kept")
    func limits() throws {
        let log = StubLog(maximumCount: 2, maximumBodyBytes: 10)
        let late = log.append(try request("/late"))
        let first = log.append(try request("/a", bytes: 6))
        log.update(try request("/a", bytes: 4), at: first)
        _ = log.append(try request("/b", bytes: 6))
        log.update(try request("/late", bytes: 100), at: late)
        #expect(log.entries.map { $0.request.body.data?.count } == [4, 6])
        _ = log.append(try request("/c", bytes: 11))
        #expect(log.entries.map { $0.request.body.data?.count } == [nil, nil])
        #expect(log.forgottenCount == 2)
        _ = log.append(try request("/d", bytes: 10))
        #expect(log.entries.map { $0.request.body.data?.count } == [nil, 10])
    }

    @Test("many requests without a reply are counted, and the first 100 are listed")
    func unmatched() async throws {
        let stub = StubTransport(script: [])
        for index in 0..<102 { _ = try? await stub.send(request("/\(index)")) }
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.unmatched.count == 101)
        #expect(error?.unmatched.last == "2 more requests had no reply")
    }
}
