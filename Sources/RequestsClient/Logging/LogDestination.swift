import Requests
import RequestsSystem

/// The destination of a client's log events.
public struct LogDestination: Sendable {
    /// `nil` if nothing is logged, so that no events are created.
    let receive: (@Sendable (Event) -> Void)?

    private init(receive: (@Sendable (Event) -> Void)?) {
        self.receive = receive
    }

    /// Creates a destination.
    ///
    /// - Parameter receive: Receives each event on the task of the call. Return quickly: it delays the call.
    public init(_ receive: @escaping @Sendable (Event) -> Void) {
        self.receive = receive
    }

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
