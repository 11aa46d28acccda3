import Foundation

/// Something that a client does, told as it happens, without secrets.
///
/// Each ``Kind/started(header:body:)`` is followed by one ``Kind/succeeded(_:)`` or one ``Kind/failed(because:after:)`` of
/// the same call.
public struct LogEvent: Sendable, CustomStringConvertible {
    /// What a call gave.
    public struct Outcome: Sendable {
        /// The response's status.
        public let statusCode: Int
        /// How many bytes the body has; `nil` where it is still being read.
        public let receivedBytes: Int?
        /// How long the call took.
        public let duration: Duration
        /// What the last exchange took; `nil` where the transport does not measure.
        public let metrics: TransferMetrics?
    }

    /// What happened.
    public enum Kind: Sendable {
        /// A call begins, with this header, sensitive values replaced, and such a body.
        case started(header: Header, body: String)
        /// A request is sent. `after` is the status of the exchange before it, such as a redirect's or a challenge's, where
        /// no ``retrying(after:because:)`` has told of that; the URL can be another one.
        case attempt(url: String, after: Int?)
        /// A request will be sent again.
        case retrying(after: Duration, because: String)
        /// A call has its response.
        case succeeded(Outcome)
        /// A call has failed.
        case failed(because: String, after: Duration)
    }

    /// The call's number, one for all its events.
    public let call: UInt64

    /// Method and URL, sensitive query values replaced.
    public let request: String

    /// What happened.
    public let kind: Kind

    /// The event in one line. The first and the last of a call name the request; those between, what is new.
    public var description: String { "[\(call)] \(words)" }

    private var words: String {
        switch kind {
        case .started(let header, let body):
            "\(request) started, \(body)"
                + header.map { ", \(Redaction.escaped($0.line(revealingSecrets: true)))" }.joined()
        case .attempt(let url, let status):
            (request.hasSuffix(" \(url)") ? "sent" : "sent to \(url)") + (status.map { " after a \($0)" } ?? "")
        case .retrying(let delay, let reason): "will be sent again after \(delay.atAGlance): \(reason)"
        case .succeeded(let outcome):
            "\(request) answered \(outcome.statusCode)\(outcome.bytes), after \(outcome.duration.atAGlance)"
        case .failed(let reason, let duration): "\(request) failed after \(duration.atAGlance): \(reason)"
        }
    }
}

extension LogEvent.Outcome {
    fileprivate var bytes: String {
        receivedBytes.map { $0 == 1 ? ", 1 byte" : ", \($0) bytes" } ?? ""
    }
}
