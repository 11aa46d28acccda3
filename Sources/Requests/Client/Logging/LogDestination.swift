import Foundation

/// Where a client's log events go.
public struct LogDestination: Sendable {
    /// `nil` where they go nowhere: then none is made.
    let receive: (@Sendable (LogEvent) -> Void)?

    private init(receive: (@Sendable (LogEvent) -> Void)?) {
        self.receive = receive
    }

    /// Creates a destination.
    ///
    /// - Parameter receive: Gets each event, on the task that makes the call: it hands it on, and returns.
    public init(_ receive: @escaping @Sendable (LogEvent) -> Void) {
        self.receive = receive
    }

    /// Nowhere.
    public static let none = LogDestination(receive: nil)

    /// Standard error, a line for each event.
    public static let console = LogDestination { event in
        // Where it cannot be written, as with a disk that is full, `write(_:)` would end the process.
        try? FileHandle.standardError.write(contentsOf: Data("\(event)\n".utf8))
    }

    /// Several destinations.
    public static func all(_ destinations: LogDestination...) -> LogDestination {
        let receivers = destinations.compactMap(\.receive)
        guard !receivers.isEmpty else { return .none }
        return LogDestination { event in
            for receive in receivers { receive(event) }
        }
    }
}
