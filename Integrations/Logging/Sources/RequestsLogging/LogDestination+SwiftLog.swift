import Logging
import Requests
import RequestsClient

extension LogDestination {
    /// A logger of swift-log.
    ///
    /// ```swift
    /// configuration.log = .swiftLog(Logger(label: "http"))
    /// ```
    ///
    /// The message says what happened. The details are metadata, named as in OpenTelemetry's semantic conventions where
    /// they have a name. Events contain no secrets. They are logged on the task of the call, so metadata providers see
    /// its task-local values.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - level: Returns the level of an event. Default: ``standardLevel(of:)``. A library passes its own function,
    ///     because swift-log reserves warnings and errors for applications.
    public static func swiftLog(
        _ logger: Logger,
        level: @escaping @Sendable (Event) -> Logger.Level = standardLevel(of:)
    ) -> LogDestination {
        LogDestination { event in
            logger.log(level: level(event), event.message, metadata: event.metadata)
        }
    }

    /// Returns the level of an event, as the system log has it: failures are errors, retries are notices, and the other
    /// events are debug messages.
    public static func standardLevel(of event: Event) -> Logger.Level {
        switch event.kind {
        case .failed: .error
        case .retrying: .notice
        case .started, .attempt, .message, .succeeded: .debug
        }
    }
}
