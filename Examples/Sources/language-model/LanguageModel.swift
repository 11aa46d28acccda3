import Requests
import RequestsClient

/// A language model on a server.
struct LanguageModel: Sendable {
    let api: ChatAPI
    let client: Client
    /// How often the model may call tools before it has to reply.
    var maximumRounds = 8

    /// Continues a conversation until the model replies without calling a tool.
    ///
    /// Cancel the task to stop the reply, which closes the connection.
    ///
    /// - Parameters:
    ///   - conversation: The messages so far. The model's messages and the results of tools are appended.
    ///   - tools: The functions that the model may call.
    ///   - onText: Receives the text as it arrives.
    func reply(
        to conversation: inout [Message],
        tools: [Tool] = [],
        onText: (String) -> Void
    ) async throws {
        for _ in 0..<maximumRounds {
            var reply = Reply()
            let request = api.completion(of: conversation, tools: tools)
            for try await chunk in client.events(of: Chunk.self, for: request, until: "[DONE]") {
                reply.add(chunk)
                if !chunk.text.isEmpty { onText(chunk.text) }
            }
            conversation.append(reply.message)
            guard !reply.toolCalls.isEmpty else { return }
            for call in reply.toolCalls {
                let result = try await result(of: call, tools)
                conversation.append(Message(role: .tool, content: result, toolCallId: call.id))
            }
        }
        throw TooManyRounds(maximum: maximumRounds)
    }

    /// Runs a tool. The model is told if it asked for one that doesn't exist.
    private func result(of call: ToolCall, _ tools: [Tool]) async throws -> String {
        guard let tool = tools.first(where: { $0.function.name == call.function.name }) else {
            return "There is no tool named \(call.function.name)."
        }
        return try await tool.run(call.function.arguments)
    }
}

/// The model called tools again and again instead of replying.
struct TooManyRounds: Error {
    let maximum: Int
}
