import RequestsClient

/// A language model on a server.
struct LanguageModel: Sendable {
    let api: ChatAPI
    let client: Client
    /// The maximum number of requests for one reply, which bounds the rounds of tool calls.
    var maximumRounds = 8

    /// Continues a conversation until the model replies without calling a tool.
    ///
    /// To stop the reply, cancel the task, which closes the connection.
    ///
    /// - Parameters:
    ///   - conversation: The messages so far. The model's messages and the results of tools are appended, a message
    ///     with calls together with all of their results, because servers reject one without the other.
    ///   - tools: The functions that the model may call.
    ///   - onText: Called with each piece of text as it arrives.
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
            var messages = [reply.message]
            for call in reply.toolCalls {
                let result = try await result(of: call, tools)
                messages.append(Message(role: .tool, content: result, toolCallId: call.id))
            }
            conversation += messages
            guard !reply.toolCalls.isEmpty else { return }
        }
        throw TooManyRounds(maximum: maximumRounds)
    }

    /// Runs a tool and returns its result. If there is no such tool, or it fails, returns a text that tells the model.
    /// The tool's error may contain secrets, so the text doesn't contain it.
    private func result(of call: ToolCall, _ tools: [Tool]) async throws -> String {
        guard let tool = tools.first(where: { $0.function.name == call.function.name }) else {
            return "There is no tool named \(call.function.name)."
        }
        do {
            return try await tool.run(call.function.arguments)
        } catch {
            try Task.checkCancellation()
            return "The tool \(call.function.name) failed."
        }
    }
}

/// The error if the model keeps calling tools instead of replying.
struct TooManyRounds: Error {
    let maximum: Int
}
