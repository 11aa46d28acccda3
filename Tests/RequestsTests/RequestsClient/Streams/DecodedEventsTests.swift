import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Decoded events", .timeLimit(.minutes(5)))
struct DecodedEventsTests {
    private struct Delta: Decodable, Equatable, Sendable {
        var text: String
    }

    private let clock = TestClock(isImmediate: true)
    private let api = AnonymousRequestProvider("https://a.example")

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
        #expect(message?.hasSuffix("with an Idempotency-Key") == true)
        #expect(await values(.events(text), until: nil).1 == nil)
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
                == "An event from https://a.example/chat isn't the JSON of a Delta: the top level has no key text."
        )
    }
}
