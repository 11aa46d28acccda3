import Requests
import RequestsClient
import RequestsTesting

extension TransportConformance.HostileExchange {
    typealias Stream = TransportConformance.HostileStream

    /// Returns a case in which the server responds with frames.
    static func frames(
        _ name: String,
        _ claim: String,
        _ allowed: Allowed,
        to method: HTTPMethod = .get,
        thenCloses: Bool = false,
        _ frames: @escaping @Sendable (_ stream: UInt32) -> [HTTP2.Frame]
    ) -> Self {
        Self(name: name, claim: claim, allowed: allowed, method: method) { stream in
            try stream.send(frames(stream.number))
            if thenCloses { stream.connection.finishWriting() }
        }
    }

    /// Returns a case in which the server sends frames before a complete response. A client that ignores them delivers
    /// the response.
    static func prefix(
        _ name: String,
        _ claim: String,
        _ allowed: Allowed,
        _ prefix: @escaping @Sendable (_ stream: UInt32) -> [HTTP2.Frame]
    ) -> Self {
        frames(name, claim, allowed) { prefix($0) + Stream.response(on: $0) }
    }

    /// Returns a case in which the server sends frames between the head and the body of a response.
    static func inside(
        _ name: String,
        _ claim: String,
        _ allowed: Allowed,
        _ inside: @escaping @Sendable (_ stream: UInt32) -> [HTTP2.Frame]
    ) -> Self {
        frames(name, claim, allowed) { [Stream.head(on: $0)] + inside($0) + [.data("hello", on: $0)] }
    }

    /// Returns a case in which the server sends frames after a complete response.
    static func suffix(
        _ name: String,
        _ claim: String,
        _ allowed: Allowed,
        _ suffix: @escaping @Sendable (_ stream: UInt32) -> [HTTP2.Frame]
    ) -> Self {
        frames(name, claim, allowed) { Stream.response(on: $0) + suffix($0) }
    }

    /// Returns a case in which the response has an encoded field block as its header, and a body.
    static func block(_ name: String, _ claim: String, _ allowed: Allowed, _ block: [UInt8]) -> Self {
        frames(name, claim, allowed) { [.headers(block: block, on: $0), .data("hello", on: $0)] }
    }

    /// Returns a case in which the server starts the connection with bytes instead of SETTINGS, and then sends a
    /// complete response.
    static func opening(_ name: String, _ claim: String, _ allowed: Allowed, _ bytes: [UInt8]) -> Self {
        Self(
            name: name,
            claim: claim,
            allowed: allowed,
            open: { connection in
                _ = try connection.readBytes(HTTP2.preface.count)
                try connection.write(bytes)
            },
            respond: { try $0.sendResponse() }
        )
    }
}
