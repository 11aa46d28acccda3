import Requests
import RequestsSystem

/// The destination of a client's log events.
public struct LogDestination: Sendable {
    /// `nil` if nothing is logged, so that no events are created.
    let receive: (@Sendable (Event) -> Void)?

    private init(receive: (@Sendable (Event) -> Void)?) { self.receive = receive }

    /// Creates a destination.
    ///
    /// - Parameter receive: Receives each event on the task of the call. Return quickly: it delays the call.
    public init(_ receive: @escaping @Sendable (Event) -> Void) { self.receive = receive }

    /// Logs nothing.
    public static let none = LogDestination(receive: nil)

    /// Standard error, one line for each event.
    public static let console = LogDestination { OpenFile.writeToStandardError("\($0)\n") }

    /// Several destinations.
    public static func all(_ destinations: LogDestination...) -> LogDestination {
        let receivers = destinations.compactMap(\.receive)
        guard !receivers.isEmpty else { return .none }
        return LogDestination { event in
            for receive in receivers { receive(event) }
        }
    }
}

extension LogDestination {
    /// Something that a client does, without secrets.
    ///
    /// Each ``Kind/started(header:body:)`` is followed by exactly one
    /// ``Kind/succeeded(statusCode:receivedBytes:after:metrics:)``,
    /// ``Kind/failed(code:statusCode:because:after:)`` or ``Kind/canceled(after:)`` of the same call.
    public struct Event: Sendable, CustomStringConvertible {
        /// The kind of event.
        public enum Kind: Sendable {
            /// A call started. Sensitive values of the header are redacted. The body is described, not shown.
            case started(header: Header, body: String)
            /// A request is sent to the URL, which can differ from the call's. `after` is the status of the previous
            /// attempt, such as a redirect or a challenge. `header` contains the fields that call middleware has added,
            /// with sensitive values redacted.
            case attempt(url: String, after: Int?, header: Header)
            /// A request will be sent again.
            case retrying(after: Duration, because: String)
            /// A message of middleware.
            case message(String)
            /// A call received its response. `receivedBytes` is the size of the body, or `nil` if it is still being
            /// read. `metrics` belong to the last attempt, or are `nil` if the transport doesn't measure.
            case succeeded(statusCode: Int, receivedBytes: Int64?, after: Duration, metrics: TransferMetrics?)
            /// A call failed. `code` is the code of one of the library's errors, or the type of another error.
            /// `statusCode` is the status of a response that isn't the expected one, or `nil` for other errors.
            case failed(code: String, statusCode: Int?, because: String, after: Duration)
            /// A call was canceled, which isn't a failure.
            case canceled(after: Duration)
        }

        /// The call's number, which all its events share.
        public let call: UInt64

        /// The method and the URL, with sensitive query values redacted.
        public let request: String

        /// The method. `nil` if the request couldn't be built.
        public let method: HTTPMethod?

        /// The scheme, host and port of the request. `nil` if the request couldn't be built.
        public let origin: RequestURL.Origin?

        /// The name of the operation, such as `/users/{}`: `PreparedRequest.operation`. `nil` if it has none.
        public let operation: String?

        /// The kind of event.
        public internal(set) var kind: Kind

        /// The event in one line. The first and last events of a call name the request.
        public var description: String { "[\(call)] \(text)" }

        private var text: String {
            switch kind {
            case .started(let header, let body):
                "\(request) started, \(body)" + lines(of: header)
            case .attempt(let url, let status, let header):
                (request.hasSuffix(" \(url)") ? "sent" : "sent to \(url)")
                    + (status.map { " after status \($0)" } ?? "") + lines(of: header)
            case .retrying(let delay, let reason): "will be sent again after \(delay.shortDescription): \(reason)"
            case .message(let message): Redaction.escaped(message)
            case .succeeded(let statusCode, let bytes, let duration, _):
                "\(request) returned \(statusCode)"
                    + (bytes.map { $0 == 1 ? ", 1 byte" : ", \($0) bytes" } ?? "")
                    + " after \(duration.shortDescription)"
            case .failed(_, _, let reason, let duration):
                "\(request) failed after \(duration.shortDescription): \(reason)"
            case .canceled(let duration): "\(request) was canceled after \(duration.shortDescription)"
            }
        }

        private func lines(of header: Header) -> String {
            header.map { ", \(Redaction.escaped($0.line(revealingSecrets: true)))" }.joined()
        }
    }
}

#if canImport(os)
import os
import Requests

extension LogDestination {
    /// The system log. Failures are errors, retries are notices and the other events are debug messages.
    ///
    /// - Parameter logger: The logger. Events contain no secrets, so they are logged as public text.
    public static func logger(_ logger: Logger) -> LogDestination {
        LogDestination { event in
            switch event.kind {
            case .failed: logger.error("\(event.description, privacy: .public)")
            case .retrying: logger.notice("\(event.description, privacy: .public)")
            case .started, .attempt, .message, .succeeded, .canceled:
                logger.debug("\(event.description, privacy: .public)")
            }
        }
    }
}
#endif
