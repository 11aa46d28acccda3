import Requests
import RequestsSystem

/// Where a client's log events go.
public struct LogDestination: Sendable {
    /// `nil` if nothing is logged, so that no events are made.
    let receive: (@Sendable (Event) -> Void)?

    private init(receive: (@Sendable (Event) -> Void)?) {
        self.receive = receive
    }

    /// Creates a destination.
    ///
    /// - Parameter receive: Receives each event on the task of the call, so it should hand the event on and return.
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
