import Foundation
import RequestsCurl
import RequestsTesting
import Synchronization

@testable import language_model

/// A language model whose responses are scripted, and a client of it over libcurl.
final class ModelServer: Sendable {
    let model: LanguageModel
    private let server: LoopbackServer

    /// The requests so far, oldest first.
    var requests: [LoopbackServer.Request] { server.requests }

    init(_ answers: LoopbackServer.Answer...) throws {
        let rest = Mutex(answers[...])
        server = try .http(recording: true) { _ in rest.withLock { $0.popFirst() } ?? .init(500) }
        model = ModelServer.model(at: server.baseURL)
    }

    static func model(at url: URL) -> LanguageModel {
        let api = ChatAPI(baseURL: url, token: "s3cret", model: "m1")
        return LanguageModel(api: api, client: Client(transport: CurlTransport.shared))
    }
}

extension LoopbackServer.Answer {
    static func events(
        _ events: String...,
        then end: @escaping @Sendable (LoopbackServer.BodyWriter) throws -> Void = { try $0.write(data: "[DONE]") }
    ) -> Self {
        .streaming(200, header: [.contentType(.eventStream)]) { body in
            for event in events { try body.write(data: event) }
            try end(body)
        }
    }
}

/// The event of a model that adds text to its reply.
func text(_ text: String) -> String { #"{"choices":[{"delta":{"content":"\#(text)"}}]}"# }

/// The event of a model with pieces of tool calls.
func calls(_ deltas: String...) -> String {
    #"{"choices":[{"delta":{"tool_calls":[\#(deltas.joined(separator: ","))]}}]}"#
}
