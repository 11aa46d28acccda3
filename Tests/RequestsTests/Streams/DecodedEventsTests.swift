import RequestsTesting
import Testing

@Suite("Decoded events", .timeLimit(.minutes(5)))
struct DecodedEventsTests {
    private struct Delta: Decodable, Equatable, Sendable {
        var text: String
    }

    private let clock = TestClock(isImmediate: true)
    private let api = BaseURL("https://a.example")

    private func values(_ reply: StubTransport.Reply, until end: String?) async -> ([Delta], (any Error)?) {
        let client = StubTransport(script: [reply]).client(on: clock)
        let request = api.post(json: ["q": 1], to: "/chat")
        return await client.events(of: Delta.self, for: request, until: end).elements()
    }

    @Test("Values are decoded until the event that ends them, which cancels the connection")
    func end() async {
        let canceled = Recorder<Void>()
        let stream = StubTransport.Reply.open(
            "data: {\"text\": \"a\"}\n\ndata: {\"text\": \"b\"}\n\ndata: [DONE]\n\ndata: x\n\n",
            onCancel: { canceled.record(()) }
        )
        let (deltas, error) = await values(stream, until: "[DONE]")
        #expect(deltas == [Delta(text: "a"), Delta(text: "b")])
        #expect(error == nil)
        #expect(canceled.count == 1)
    }

    @Test("Events that end before their mark are truncated, and without a mark they are complete")
    func missingEnd() async {
        let text = "data: {\"text\": \"a\"}\n\n"
        let (deltas, error) = await values(.events(text), until: "[DONE]")
        #expect(deltas == [Delta(text: "a")])
        #expect((error as? TransportError)?.code == .truncated)
        let message = (error as? TransportError)?.message
        #expect(message?.hasPrefix("the events from https://a.example/chat ended before “[DONE]”; ") == true)
        #expect(message?.hasSuffix("because a part of the answer was delivered") == true)
        #expect(await values(.events(text), until: nil).1 == nil)
    }

    @Test(
        "A last event without its empty line counts if the body ends properly",
        arguments: [
            ("data: {\"text\":\"a\"}\n\ndata: [DONE]", 1, true), ("data: [DONE]\n", 0, true), ("data: [DONE]", 0, true),
            ("data: {\"text\":\"a\"}\n\ndata: {\"text\":\"b\"}", 2, false),
        ]
    )
    func openEnd(text: String, count: Int, isComplete: Bool) async {
        let (elements, error) = await values(.events(text), until: "[DONE]")
        #expect(elements.count == count)
        #expect((error as? TransportError)?.code == (isComplete ? nil : .truncated))
        let (broken, failure) = await values(.events(text, failure: .truncated), until: "[DONE]")
        #expect(broken.count == max(count - (isComplete ? 0 : 1), 0))
        #expect((failure as? TransportError)?.code == .truncated)
    }

    @Test("An event that can't be decoded is an error with its data, and ends the values")
    func malformed() async {
        let (deltas, error) = await values(.events("data: {\"txt\": 1}\n\ndata: {\"text\": \"a\"}\n\n"), until: nil)
        #expect(deltas.isEmpty)
        let decoding = error as? ResponseError
        #expect(decoding?.code == .decoding)
        #expect(decoding?.data == Data(#"{"txt": 1}"#.utf8))
        #expect(
            decoding?.message
                == "An event from https://a.example/chat isn't a Delta in JSON: the top level has no key text."
        )
    }

    private struct Failure: Error, Decodable, Equatable, CustomStringConvertible {
        struct Content: Decodable, Equatable { let message: String }
        let error: Content
        var description: String { error.message }
    }

    @Test("A request isn't sent again once its response began, whatever ends the events")
    func sentOnce() async {
        let part = "retry: 1\ndata: {\"text\": \"a\"}\n\n"
        for ending in [
            StubTransport.Reply.events(part), .events(part, failure: .truncated),
            .events(part, failure: .timedOut(.idle)),
        ] {
            let second = StubTransport.Reply.events("data: {\"text\": \"b\"}\n\ndata: [DONE]\n\n")
            let server = StubTransport(script: [ending, second])
            let client = server.client(on: clock) { $0.retries = .fixed(.zero, limit: 5) }
            let request = api.post(json: ["q": 1], to: "/chat").adding(headerField: .idempotencyKey("7"))
            let (deltas, error) = await client.events(of: Delta.self, for: request, until: "[DONE]").elements()
            #expect(deltas == [Delta(text: "a")])
            #expect(error is TransportError)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A failure before the response is retried as the caller's policy says, also for POST")
    func retriedBefore() async {
        let busy = StubTransport.Reply.reply(429, header: [Field(name: .retryAfter, value: "7")])
        let server = StubTransport(script: [busy, .events("data: {\"text\": \"a\"}\n\ndata: [DONE]\n\n")])
        let policy = RetryPolicy.fixed(.zero).retrying { outcome, _ in
            if case .response(let head) = outcome { head.statusCode == 429 } else { false }
        }
        let events = server.client(on: clock).events(
            of: Delta.self,
            for: api.post(json: ["q": 1], to: "/chat"),
            until: "[DONE]",
            retries: policy
        )
        #expect(await events.elements().elements == [Delta(text: "a")])
        #expect(clock.sleeps == [.seconds(7)])
        #expect(server.requests.count == 2)
    }

    @Test("Values are decoded with the API's coders")
    func coders() async {
        struct API: RequestProviding {
            let baseURL = URL("https://a.example")
            var coders: JSONCoders {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return JSONCoders(decoder: decoder)
            }
        }
        struct Part: Decodable, Equatable, Sendable { var toolCalls: [Int]? }
        let client = StubTransport(script: [.events("data: {\"tool_calls\": [1]}\n\n")]).client(on: clock)
        let parts = await client.events(of: Part.self, for: API().get(.none, from: "/")).elements().elements
        #expect(parts == [Part(toolCalls: [1])])
    }

    @Test("A prepared request has decoded events, too")
    func prepared() async throws {
        let client = StubTransport(script: [.events("data: {\"text\": \"a\"}\n\n")]).client(on: clock)
        let request = try api.get(.none, from: "/").prepared()
        #expect(await client.events(of: Delta.self, for: request).elements().elements == [Delta(text: "a")])
    }

    @Test(
        "A failure in the middle of a stream is read with `decodingErrors(as:)`",
        arguments: [
            "event: error\ndata: {\"error\": {\"message\": \"busy\"}}\n\n",
            "data: {\"error\": {\"message\": \"busy\"}}\n\n",
            "data: {\"text\": \"x\", \"error\": {\"message\": \"busy\"}}\n\n",
        ]
    )
    func failureInStream(event: String) async {
        let client = StubTransport(script: [.events("data: {\"text\": \"a\"}\n\n" + event)]).client(on: clock)
        let request = api.get(.none, from: "/chat").decodingErrors(as: Failure.self)
        let (deltas, error) = await client.events(of: Delta.self, for: request, until: "[DONE]").elements()
        #expect(deltas == [Delta(text: "a")])
        let failure = error as? ResponseError
        #expect(failure?.code == .failure)
        #expect(failure?.underlying as? Failure == Failure(error: .init(message: "busy")))
        #expect(failure?.message == "An event from https://a.example/chat reports a failure. busy")
    }

    @Test("A failure that no type describes keeps the event's data")
    func unknownFailure() async {
        let text = "event: error\ndata: {\"type\": \"overloaded\"}\n\n"
        let (_, error) = await values(.events(text), until: nil)
        #expect((error as? ResponseError)?.code == .failure)
        #expect((error as? ResponseError)?.data == Data(#"{"type": "overloaded"}"#.utf8))
    }

    @Test("A member `error` that is null isn't a failure")
    func nullError() async {
        let (deltas, error) = await values(.events("data: {\"text\": \"a\", \"error\": null}\n\n"), until: nil)
        #expect(deltas == [Delta(text: "a")])
        #expect(error == nil)
    }

    @Test("A response in JSON instead of events is read with `decodingErrors(as:)`")
    func failureInsteadOfStream() async {
        let reply = StubTransport.Reply.reply(200, jsonText: #"{"error": {"message": "busy"}}"#)
        let client = StubTransport(script: [reply]).client(on: clock)
        let request = api.get(.none, from: "/chat").decodingErrors(as: Failure.self)
        let (_, error) = await client.events(of: Delta.self, for: request, until: "[DONE]").elements()
        #expect((error as? ResponseError)?.code == .contentType)
        #expect((error as? ResponseError)?.underlying as? Failure == Failure(error: .init(message: "busy")))
    }
}
