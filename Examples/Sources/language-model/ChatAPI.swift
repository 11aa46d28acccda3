import Foundation
import Requests

/// The chat completions API of OpenAI and many other servers. Its requests are plain values.
struct ChatAPI: RequestProviding {
    let baseURL: URL
    let token: String
    let model: String

    /// Coders that convert between `toolCalls` in Swift and `tool_calls` in JSON.
    let coders: JSONCoders = {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return JSONCoders(encoder: encoder, decoder: decoder)
    }()

    /// Returns a request with the parts that all requests share.
    func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<ChatAPI, Void> {
        Request(api: self, endpoint: endpoint, responseDecoder: .none.decodingErrors(as: Failure.self), method: method)
            .authenticated(with: .bearerToken(token))
            .retrying(.ifBusy)
    }

    /// Returns a request that continues a conversation. The response is a stream of ``Chunk`` events.
    func completion(of messages: [Message], tools: [Tool] = []) -> Request<ChatAPI, Void> {
        let prompt = Prompt(model: model, messages: messages, tools: tools.isEmpty ? nil : tools)
        return post(json: prompt, to: "/chat/completions")
    }

    private struct Prompt: Encodable {
        var model: String
        var messages: [Message]
        var tools: [Tool]?
        var stream = true
    }
}

extension RetryPolicy {
    /// Also retries a `POST` if the server was too busy to start it. After any other failure, a retry could cost twice.
    fileprivate static var ifBusy: RetryPolicy {
        var policy = RetryPolicy.exponential()
        policy.unprocessedStatuses = [429]
        return policy
    }
}

/// The server's description of a failure, in a response or in the middle of a stream.
struct Failure: Error, Decodable, Equatable {
    struct Reason: Decodable, Equatable {
        var message: String
    }

    var error: Reason
}
