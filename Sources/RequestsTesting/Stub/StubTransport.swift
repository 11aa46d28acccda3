import Foundation
import Requests
import RequestsClient

/// A transport that answers from code: no socket, no thread, no clock.
///
/// It answers with a closure, by method and path, or with one reply after the other:
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
/// Copies are one transport: they share their scripts and what they were asked.
public struct StubTransport: Transport {
    private let handler: @Sendable (PreparedRequest) async throws -> Response<ResponseBody>
    private let log: RequestLog

    /// Creates a transport that answers with a closure.
    public init(_ handler: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>) {
        self.handler = handler
        self.log = RequestLog()
    }

    /// Creates a transport that answers by method and path.
    ///
    /// A request that no route takes fails with `TransportError.Code.unmatched`, and the error says what sets it
    /// apart from the nearest route.
    ///
    /// - Parameter routes: The routes; of several that match, the first answers.
    public init(routes: [Route]) {
        let table = RouteTable(routes)
        self.init { request in try await table.reply(to: request).answer(request) }
    }

    /// Creates a transport that gives one reply after the other, whatever it is asked.
    ///
    /// A request beyond the last reply fails with `TransportError.Code.unmatched`.
    ///
    /// - Parameter script: The replies, each given once.
    public init(script: [Reply]) {
        let script = Script(script)
        self.init { request in
            guard let reply = script.next() else {
                throw TransportError.unmatched("all \(script.count) replies are given; none is left for \(request)")
            }
            return try await reply.answer(request)
        }
    }

    /// What the transport was asked so far, oldest first, whatever became of it.
    public var requests: [PreparedRequest] { log.requests }

    /// Everything that a stub can be asked for.
    public var capabilities: TransportCapabilities { .offline }

    /// Answers a request.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        try request.validate(for: capabilities)
        log.append(request)
        return try await handler(request)
    }
}

extension TransportCapabilities {
    /// All that a transport without a network can be asked for.
    static let offline: TransportCapabilities = [
        .streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout, .networkServices,
    ]
}

/// What was sent, in order.
private final class RequestLog: Sendable {
    private let entries = Locked<[PreparedRequest]>([])

    var requests: [PreparedRequest] { entries.withLock { $0 } }

    func append(_ request: PreparedRequest) {
        entries.withLock { $0.append(request) }
    }
}
