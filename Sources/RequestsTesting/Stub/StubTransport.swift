import Foundation
import Requests
import RequestsClient

/// A transport that responds from code, without a network.
///
/// It responds with a closure, by method and path, or with one reply after another:
///
/// ```swift
/// let echo = StubTransport { request in try .stub(200, body: request.body.data ?? Data(), for: request) }
/// let api = StubTransport(routes: [
///     .get("/users/{id}", .reply(200, json: ["name": "Ada"])),
///     .post("/users", .failure(.timedOut(.idle)), then: .reply(201)),
/// ])
/// let flaky = StubTransport(script: [.reply(503), .reply(200, text: "ok")])
/// ```
///
/// Copies share their replies and the list of requests.
public struct StubTransport: Transport {
    private let handler: @Sendable (PreparedRequest) async throws -> Response<ResponseBody>
    private let log: RequestLog

    /// Creates a transport that responds with a closure.
    public init(_ handler: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>) {
        self.handler = handler
        self.log = RequestLog()
    }

    /// Creates a transport that responds by method and path.
    ///
    /// If no route matches, the request fails with `TransportError.Code.unmatched`. The error describes the difference
    /// from the closest route.
    ///
    /// - Parameter routes: The routes. The first match is used.
    public init(routes: [Route]) {
        let table = RouteTable(routes)
        self.init { request in try await table.reply(to: request).respond(request) }
    }

    /// Creates a transport that uses one reply after another, for any request.
    ///
    /// A request after the last reply fails with `TransportError.Code.unmatched`.
    ///
    /// - Parameter script: The replies, each used once.
    public init(script: [Reply]) {
        let script = Script(script)
        self.init { request in
            guard let reply = script.next() else {
                throw TransportError.unmatched(
                    "no reply for \(request); all \(script.count) replies of the script are used"
                )
            }
            return try await reply.respond(request)
        }
    }

    /// All requests that were sent so far, oldest first, including failed ones.
    public var requests: [PreparedRequest] { log.requests }

    /// The capabilities of a stub.
    public var capabilities: TransportCapabilities { .offline }

    /// Returns the response to a request.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        try request.validate(for: capabilities)
        log.append(request)
        return try await handler(request)
    }
}

extension TransportCapabilities {
    /// The capabilities of a transport without a network.
    static let offline: TransportCapabilities = [
        .streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout, .networkServices,
    ]
}

/// The sent requests, in order.
private final class RequestLog: Sendable {
    private let entries = Locked<[PreparedRequest]>([])

    var requests: [PreparedRequest] { entries.withLock { $0 } }

    func append(_ request: PreparedRequest) {
        entries.withLock { $0.append(request) }
    }
}
