import Dispatch
import Requests
import RequestsClient
import RequestsTesting

extension TransportConformance {
    /// An exchange with a server that breaks the rules of HTTP/2, and the outcomes that are allowed for the client.
    struct HostileExchange: Sendable {
        /// The name of the case without its prefix.
        let name: String
        let claim: String
        let allowed: Allowed
        var method = HTTPMethod.get
        var uploadSize = 0
        var timeouts = Timeouts(idle: .seconds(3600))
        /// Sends the first frames of the connection.
        var open: @Sendable (LoopbackServer.Connection) throws -> Void = { try $0.acceptHTTP2() }
        /// Called when the head of the request has arrived.
        let respond: @Sendable (HostileStream) throws -> Void

        /// The allowed outcomes of an exchange.
        struct Allowed: Sendable {
            /// The allowed bodies of a complete response.
            var bodies: [Data] = []
            var codes: [TransportError.Code] = []
        }

        /// The exchange as a conformance case. The name contains `fatal` if the client must close the connection.
        var conformanceCase: Case {
            let isFatal = allowed.bodies.isEmpty && allowed.codes == Allowed.connectionError.codes
            return Case("http2." + (isFatal ? "fatal." : "") + name, claim) { try await run($0) }
        }

        private func run(_ context: Context) async throws {
            let transport = try context.http2Transport()
            let mayEnd = DispatchSemaphore(value: 0)
            defer { mayEnd.signal() }
            let bystander = try await startBystander(until: mayEnd, transport, context)
            let server = try start(context)
            try await expectAllowed { try await exchange(server, transport, context) }
            // The server is hostile to one request only, so the next one shows whether the transport still works.
            let next = try await transport.send(context.request(.get, server)).content.collect(upTo: 100)
            try context.expect(next, is: HostileExchange.normal, "the body of the next response")
            mayEnd.signal()
            let rest = try await bystander.collect(upTo: 100)
            try context.expect(rest, is: Data("startend".utf8), "the body from another server")
        }

        /// Starts an exchange with a second, friendly server, which lasts until a signal.
        private func startBystander(
            until mayEnd: DispatchSemaphore,
            _ transport: any Transport,
            _ context: Context
        ) async throws -> ResponseBody {
            let server = try context.track(
                .http2 { _ in
                    .streaming(200) { body in
                        try body.write("start")
                        mayEnd.wait()
                        try body.write("end")
                    }
                }
            )
            return try await transport.send(context.request(.get, server)).content
        }

        static let normal = Data("normal".utf8)

        private func start(_ context: Context) throws -> LoopbackServer {
            let isFirstConnection = Locked(true)
            return try context.serve { connection in
                var isHostile = isFirstConnection.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                try isHostile ? open(connection) : connection.acceptHTTP2()
                let stream = HostileStream(connection)
                while let frame = try connection.readFrame() {
                    try connection.acknowledge(frame)
                    switch frame.kind {
                    case .headers:
                        stream.stopFlood()
                        if isHostile {
                            isHostile = false
                            stream.number = frame.stream
                            try respond(stream)
                        } else {
                            try connection.write(HostileStream.response(on: frame.stream, "normal"))
                        }
                    // A repeated request is received as a whole.
                    case .data where frame.stream != stream.number && !frame.payload.isEmpty:
                        let count = UInt32(frame.payload.count)
                        try connection.write(.windowUpdate(0, count), .windowUpdate(frame.stream, count))
                    default: break
                    }
                }
            }
        }

        private func exchange(
            _ server: LoopbackServer,
            _ transport: any Transport,
            _ context: Context
        ) async throws -> Data {
            let body = uploadSize > 0 ? RequestBody.data(Data(count: uploadSize)) : .none
            let request = try context.request(method, server, body: body, timeouts: timeouts)
            return try await transport.send(request).content.collect(upTo: 64 << 20)
        }

        private func expectAllowed(_ operation: () async throws -> Data) async throws {
            do {
                let body = try await operation()
                guard !allowed.bodies.contains(body) else { return }
                let text = String(decoding: body.prefix(20), as: UTF8.self)
                throw ExpectationFailure(description: "a response with \(body.count) bytes was delivered: \(text)")
            } catch let error as TransportError {
                guard !allowed.codes.contains(error.code) else { return }
                let expected = allowed.codes.map(\.rawValue).joined(separator: " or ")
                throw ExpectationFailure(
                    description: "the error is \(error), expected \(expected.isEmpty ? "a response" : expected)"
                )
            }
        }
    }
}

extension TransportConformance.HostileExchange.Allowed {
    /// The complete response.
    static let response = Self(bodies: [Data("hello".utf8)])
    /// A stream error, because the response is malformed (RFC 9113 §8.1.1).
    static let malformed = Self(codes: [.malformed])
    /// An error because the response is incomplete.
    static let cut = Self(codes: [.closed, .truncated])
    /// An error that ends the connection (RFC 9113 §5.4.1).
    static let connectionError = Self(codes: [.closed, .truncated, .malformed])
    /// An error because the response exceeds a limit of the client or of its decoder.
    static let tooLarge = Self(codes: [.tooLarge, .closed, .truncated, .malformed])
    /// The complete response or any failure, because clients may decide how much they tolerate.
    static let responseOrFailure = response.or(.tooLarge)
    /// The response to a repeated request, which is allowed because the server didn't process the first one.
    static let retry = Self(bodies: [TransportConformance.HostileExchange.normal])

    func or(_ other: Self) -> Self {
        Self(bodies: bodies + other.bodies, codes: codes + other.codes)
    }
}
