import Requests

/// A message of a conversation.
struct Message: Codable, Equatable, Sendable {
    enum Role: String, Codable { case system, user, assistant, tool }

    var role: Role
    var content: String?
    /// The tool calls that the model requests.
    var toolCalls: [ToolCall]?
    /// The identifier of the tool call whose result this message contains.
    var toolCallId: String?

    static func user(_ text: String) -> Message { Message(role: .user, content: text) }
}

/// A model's request to call a function.
struct ToolCall: Codable, Equatable, Sendable {
    struct Function: Codable, Equatable, Sendable {
        var name: String
        /// The arguments as the model wrote them, which should be JSON.
        var arguments: String
    }

    var id: String
    var type = "function"
    var function: Function
}

/// A function that a model may call.
struct Tool: Encodable, Sendable {
    struct Function: Encodable, Sendable {
        var name: String
        var description: String
        /// The JSON schema of the arguments.
        var parameters: JSONValue
    }

    let type = "function"
    let function: Function
    let run: @Sendable (_ arguments: String) async throws -> String

    /// Creates a tool.
    ///
    /// - Parameter run: Returns the result for the model.
    init(
        _ name: String,
        _ description: String,
        parameters: JSONValue,
        run: @escaping @Sendable (_ arguments: String) async throws -> String
    ) {
        function = Function(name: name, description: description, parameters: parameters)
        self.run = run
    }

    private enum CodingKeys: CodingKey { case type, function }
}
