import Foundation
import RequestsTesting
import Testing

@testable import language_model

@Suite("Replies of a language model", .timeLimit(.minutes(1)))
struct ReplyTests {
    private let weather = Tool(
        "weather",
        "The weather",
        parameters: ["type": "object", "additionalProperties": false]
    ) { arguments in "sunny for \(arguments)" }

    @Test("Each piece of the text arrives before the model sends the next one")
    func streams() async throws {
        let wasRead = DispatchSemaphore(value: 0)
        let server = try ModelServer(
            .events(text("Hello")) { body in
                wasRead.wait()
                try body.write(data: text(", world"))
                wasRead.wait()
                try body.write(data: "[DONE]")
            }
        )
        var conversation = [Message.user("Hi")]
        var pieces: [String] = []
        try await server.model.reply(to: &conversation) { text in
            pieces.append(text)
            wasRead.signal()
        }
        #expect(pieces == ["Hello", ", world"])
        #expect(conversation.last == Message(role: .assistant, content: "Hello, world"))
        #expect(server.requests.first?.header[.authorization] == "Bearer s3cret")
    }

    @Test("Tool calls are put together from alternating pieces, run, and their results sent back")
    func toolCalls() async throws {
        let server = try ModelServer(
            .events(
                calls(#"{"index":0,"id":"a","type":"function","function":{"name":"weather","arguments":""}}"#),
                calls(
                    #"{"index":1,"id":"b","function":{"name":"clock","arguments":"{"}}"#,
                    #"{"index":0,"function":{"arguments":"{\"city\":"}}"#
                ),
                calls(
                    #"{"index":1,"function":{"arguments":"}"}}"#,
                    #"{"index":0,"function":{"arguments":"\"Oslo\"}"}}"#
                ),
                #"{"choices":[],"usage":{"total_tokens":9}}"#
            ),
            .events(text("Sunny."))
        )
        var conversation = [Message.user("How is the weather?")]
        try await server.model.reply(to: &conversation, tools: [weather]) { _ in }

        let calls = [
            ToolCall(id: "a", function: .init(name: "weather", arguments: #"{"city":"Oslo"}"#)),
            ToolCall(id: "b", function: .init(name: "clock", arguments: "{}")),
        ]
        #expect(
            conversation == [
                .user("How is the weather?"),
                Message(role: .assistant, toolCalls: calls),
                Message(role: .tool, content: #"sunny for {"city":"Oslo"}"#, toolCallId: "a"),
                Message(role: .tool, content: "There is no tool named clock.", toolCallId: "b"),
                Message(role: .assistant, content: "Sunny."),
            ]
        )
        let second = try #require(server.requests.last)
        let body = try JSONDecoder().decode(JSONValue.self, from: second.body)
        #expect("\(body)".contains(#"{"content":"There is no tool named clock.","role":"tool","tool_call_id":"b"}"#))
        #expect("\(body)".contains(#""parameters":{"additionalProperties":false,"type":"object"}"#))
    }

    private static let call = calls(#"{"index":0,"id":"a","function":{"name":"weather","arguments":"{}"}}"#)

    @Test("A tool that fails tells the model, without the error's text")
    func failedTool() async throws {
        let failing = Tool("weather", "The weather", parameters: [:]) { _ in
            throw Failure(error: .init(message: "s3cret"))
        }
        let server = try ModelServer(.events(Self.call), .events(text("I don't know.")))
        var conversation = [Message.user("How is the weather?")]
        try await server.model.reply(to: &conversation, tools: [failing]) { _ in }
        #expect(conversation.map(\.role) == [.user, .assistant, .tool, .assistant])
        #expect(conversation[2].content == "The tool weather failed.")
        #expect(conversation[2].toolCallId == "a")
    }

    @Test("A reply that is canceled while a tool runs leaves no call without its result")
    func canceledTool() async throws {
        let stopping = Tool("weather", "The weather", parameters: [:]) { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            throw CancellationError()
        }
        let server = try ModelServer(.events(Self.call))
        let task = Task {
            var conversation = [Message.user("How is the weather?")]
            do {
                try await server.model.reply(to: &conversation, tools: [stopping]) { _ in }
                Issue.record("the reply wasn't canceled")
            } catch {
                #expect(error is CancellationError)
            }
            return conversation
        }
        #expect(await task.value == [.user("How is the weather?")])
    }

    @Test("A model that calls tools for ever is stopped")
    func tooManyRounds() async throws {
        let call = calls(#"{"index":0,"id":"a","function":{"name":"weather","arguments":"{}"}}"#)
        let server = try ModelServer(.events(call), .events(call), .events(call))
        var model = server.model
        model.maximumRounds = 2
        var conversation = [Message.user("Hi")]
        await #expect(throws: TooManyRounds.self) {
            try await model.reply(to: &conversation, tools: [weather]) { _ in }
        }
        #expect(server.requests.count == 2)
    }
}
