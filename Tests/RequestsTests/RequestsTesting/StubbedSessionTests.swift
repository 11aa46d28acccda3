#if FullFoundation
import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Stubbed sessions", .timeLimit(.minutes(5)))
struct StubbedSessionTests {
    private let api = BaseURL("https://api.example.com")

    private func load(
        _ request: URLRequest,
        over transport: any Transport
    ) async throws -> (body: String, response: HTTPURLResponse?) {
        let session = URLSession(configuration: .stubbed(by: transport))
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (String(decoding: data, as: UTF8.self), response as? HTTPURLResponse)
    }

    @Test("a session gets the reply of a stub, and the stub sees the request")
    func reply() async throws {
        let stub = StubTransport(routes: [
            .post(
                "/users/{id}",
                .respond { match in
                    try .stub(201, header: ["X-Id": match["id"]], body: Data("made".utf8), for: match.request)
                }
            ).matching(.header("X-Key", "1"), .body(text: "Ada"))
        ])
        let request = api.post(.text("Ada"), to: "/users/7").adding(headerField: Field(name: "X-Key", value: "1"))
        let (body, response) = try await load(request.toURLRequest(), over: stub)
        #expect(body == "made")
        #expect(response?.statusCode == 201)
        #expect(response?.value(forHTTPHeaderField: "X-Id") == "7")
        try stub.verify()
    }

    @Test("each session has its own stub, also if they load at the same time")
    func sessions() async throws {
        let request = try api.get(.text, from: "/").toURLRequest()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<40 {
                group.addTask {
                    let stub = StubTransport(routes: [
                        .get("/", .reply(200, chunks: [Data("\(index)".utf8), Data("!".utf8)]))
                    ])
                    return try await load(request, over: stub).body == "\(index)!"
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }

    @Test(
        "an error of the transport becomes the error of a session",
        arguments: [
            (.cannotConnect, .cannotConnectToHost), (.timedOut(.idle), .timedOut), (.closed, .networkConnectionLost),
            (.nameNotResolved, .cannotFindHost), (.malformed, .badServerResponse),
        ] as [(TransportError.Code, URLError.Code)]
    )
    func errors(_ code: TransportError.Code, _ expected: URLError.Code) async throws {
        let request = try api.get(.text, from: "/").toURLRequest()
        let error = await #expect(throws: URLError.self) {
            try await load(request, over: StubTransport(script: [.failure(code)]))
        }
        #expect(error?.code == expected)
    }

    @Test("a request without a route fails with the difference from the closest one")
    func unmatched() async throws {
        let request = try api.get(.text, from: "/b").toURLRequest()
        let error = await #expect(throws: URLError.self) {
            try await load(request, over: StubTransport(routes: [.get("/a")]))
        }
        #expect(error?.code == .resourceUnavailable)
        #expect(error?.localizedDescription.contains("the closest is GET /a") == true)
    }

    @Test("a body that breaks fails the task, and a redirect is delivered")
    func bodies() async throws {
        let request = try api.get(.text, from: "/").toURLRequest()
        let broken = StubTransport(script: [.reply(200, chunks: [Data("a".utf8)], failure: .truncated)])
        let error = await #expect(throws: URLError.self) { try await load(request, over: broken) }
        #expect(error?.code == .networkConnectionLost)
        let redirect = StubTransport(script: [.redirect(to: "/new")])
        #expect(try await load(request, over: redirect).response?.statusCode == 302)
        #expect(redirect.requests.count == 1)
    }

    @Test("canceling a task cancels the stub")
    func cancellation() async throws {
        let request = try api.get(.text, from: "/").toURLRequest()
        let started = Recorder<Void>()
        let canceled = AsyncStream<Void>.makeStream()
        let stub = StubTransport { request in
            started.record()
            await withTaskCancellationHandler {
                for await _ in AsyncStream<Void>(unfolding: { nil }) {}
                while !Task.isCancelled { await Task.yield() }
            } onCancel: {
                canceled.continuation.finish()
            }
            throw CancellationError()
        }
        let task = Task { try await load(request, over: stub) }
        while started.count == 0 { await Task.yield() }
        task.cancel()
        for await _ in canceled.stream {}
        await #expect(throws: (any Error).self) { try await task.value }
    }
}
#endif
