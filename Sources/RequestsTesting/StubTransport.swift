import Foundation
import Requests

/// A transport that answers from code: no socket, no thread, no clock.
///
/// ```swift
/// let client = Client(transport: StubTransport { request in
///     try .stub(200, json: #"{"id": 1}"#, for: request)
/// })
/// ```
public struct StubTransport: Transport {
    private let handler: @Sendable (PreparedRequest) async throws -> Response<ResponseBody>

    /// Creates a transport that answers with a closure.
    public init(_ handler: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>) {
        self.handler = handler
    }

    /// Everything that a stub can be asked for.
    public var capabilities: TransportCapabilities {
        [.streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout]
    }

    /// Answers a request.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        try request.validate()
        return try await handler(request)
    }
}

extension Response where Content == ResponseBody {
    /// Creates a response to a request.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header.
    ///   - body: The bytes of the body; none by default.
    ///   - request: The request that is answered.
    public static func stub(
        _ statusCode: Int,
        header: Header = .empty,
        body: Data = Data(),
        for request: PreparedRequest
    ) throws -> Response {
        let head = try ResponseHead(statusCode: statusCode, header: header, url: request.url, httpVersion: .http1_1)
        return Response(head: head, content: ResponseBody(body))
    }

    /// Creates a response of JSON text to a request.
    public static func stub(_ statusCode: Int, json: String, for request: PreparedRequest) throws -> Response {
        try stub(statusCode, header: [.contentType(.json)], body: Data(json.utf8), for: request)
    }
}
