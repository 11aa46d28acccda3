import Requests

extension HTTPCache {
    /// The rules of a cache, as pure functions.
    ///
    /// They answer two questions: which stored response may serve a request (`serve`), and what follows from a response
    /// of the server (`follow`).
    ///
    /// Specification: RFC 9111, RFC 5861, RFC 8246.
    public struct Rules: Sendable {
        /// Whether a stale response is served if the server can't be reached, unless the response forbids it. Default:
        /// `false` (RFC 9111 §4.2.4).
        public var servesStaleIfDisconnected = false

        /// The key of the digests of sensitive fields.
        var key: [UInt8] = []

        /// The policy of a retry, which isn't answered by a stored response that it would retry.
        var retries: RetryPolicy?

        typealias StoredResponse = HTTPCache.StoredResponse
        typealias ForwardedRequest = HTTPCache.ForwardedRequest

        /// Creates the rules.
        public init() {}
    }

    /// Which stored response may serve a request. Positions are the ones in the list of stored responses.
    package enum Decision: Equatable, Sendable {
        /// The stored response is fresh, or the request accepts it as it is.
        case fresh(at: Int, CacheStatus)
        /// The stored response is stale and may be served. A revalidation is sent in the background (RFC 5861 §3).
        case stale(at: Int, CacheStatus, revalidation: ForwardedRequest?)
        /// The server must confirm or complete the stored response (RFC 9111 §3.4, §4.3).
        case revalidate(ForwardedRequest)
        /// No stored response fits.
        case miss(ForwardedRequest)
        /// No stored response fits, and the request must not be sent (RFC 9111 §5.2.1.7).
        case unsatisfiable(reason: String)
    }

    /// A request to the server, because no stored response could serve it.
    package struct ForwardedRequest: Equatable, Sendable {
        /// The caller's request.
        package let request: PreparedRequest
        /// The request to send, with the conditions or the range that the cache added.
        package internal(set) var sent: PreparedRequest
        /// The stored responses of the request's URL.
        package let stored: [StoredResponse]
        /// The position of the stored response to confirm or to complete. `nil` if none fits.
        package internal(set) var selected: Int?
        /// Why no stored response was served.
        package internal(set) var reason: String
        /// Whether the response is this user's. `false` if the user isn't known, or middleware below the cache changed
        /// what the response depends on.
        var isStorable = true

        init(_ request: PreparedRequest, from stored: [StoredResponse], reason: String) {
            (self.request, sent, self.stored, self.reason) = (request, request, stored, reason)
        }

        /// Whether the request asks for the missing part of the stored response.
        var isCompletion: Bool { sent.header.contains(.range) && !request.header.contains(.range) }

        /// What the sent request asks for.
        ///
        /// - Parameter old: The stored response that may have the same version.
        func target(_ old: StoredResponse?) -> RepresentationPart.Target {
            guard sent.header.contains(.range) else { return .whole }
            let version = old.flatMap { old -> RepresentationPart.Version? in
                let length = old.isDecoded ? nil : old.wholeLength
                return old.strongValidator.map { RepresentationPart.Version(validator: $0, length: length) }
            }
            guard isCompletion, let old, let version else { return .range(of: version) }
            return .rest(from: old.bytes.upperBound, of: version)
        }
    }

    /// What follows from a response. Positions are the ones in ``ForwardedRequest/stored``.
    package struct Outcome: Hashable, Sendable {
        /// What the caller gets.
        package enum Reply: Hashable, Sendable {
            /// The server's response.
            case received
            /// A stored response, updated.
            case stored(StoredResponse, at: Int, CacheStatus)
            /// The stored bytes, followed by the received ones.
            case completed(StoredResponse, at: Int, CacheStatus)
            /// The response to the original request, because the received one is about another version.
            case repeated
        }

        /// What happens to the stored responses.
        package enum Effect: Hashable, Sendable {
            /// The response is stored, in place of the one at a position.
            case store(StoredResponse, at: Int?)
            /// A stored response is updated.
            case freshen(StoredResponse, at: Int)
            /// A stored response is removed.
            case remove(at: Int)
            /// The responses stored for these URLs are removed, for all users.
            case invalidate([RequestURL])
        }

        /// What the caller gets.
        package let reply: Reply
        /// What happens to the stored responses, in order.
        package let effects: [Effect]
        /// Why.
        package let reason: String

        init(_ reason: String, _ effects: [Effect] = [], reply: Reply = .received) {
            (self.reason, self.effects, self.reply) = (reason, effects, reply)
        }
    }
}
