/// One event of a model's reply.
struct Chunk: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        var delta: Delta
    }

    struct Delta: Decodable, Sendable {
        var content: String?
        var toolCalls: [ToolCallDelta]?
    }

    /// A piece of a tool call. The first piece has the identifier and the name, and each piece has a part of the
    /// arguments.
    struct ToolCallDelta: Decodable, Sendable {
        struct Function: Decodable, Sendable {
            var name: String?
            var arguments: String?
        }

        var index: Int
        var id: String?
        var function: Function?
    }

    /// The choices. Empty in an event that only reports usage.
    var choices: [Choice]

    /// The text that this event adds to the reply.
    var text: String { choices.first?.delta.content ?? "" }
}

/// A model's reply, assembled from its events.
struct Reply {
    private var text = ""
    /// The tool calls by index, because the pieces of several calls may alternate.
    private var calls: [Int: ToolCall] = [:]

    var toolCalls: [ToolCall] { calls.sorted { $0.key < $1.key }.map(\.value) }

    /// The reply as a message of the conversation.
    var message: Message {
        Message(
            role: .assistant,
            content: text.isEmpty ? nil : text,
            toolCalls: calls.isEmpty ? nil : toolCalls
        )
    }

    mutating func add(_ chunk: Chunk) {
        text += chunk.text
        for delta in chunk.choices.first?.delta.toolCalls ?? [] {
            var call = calls[delta.index] ?? ToolCall(id: "", function: .init(name: "", arguments: ""))
            if let id = delta.id { call.id = id }
            call.function.name += delta.function?.name ?? ""
            call.function.arguments += delta.function?.arguments ?? ""
            calls[delta.index] = call
        }
    }
}
