import Logging
import RequestsClient

extension LogDestination {
    /// A destination that logs to a swift-log logger.
    ///
    /// ```swift
    /// configuration.log = .swiftLog(Logger(label: "http"))
    /// ```
    ///
    /// The message names the kind of event, and the details are metadata, with OpenTelemetry's names if these exist.
    /// Events contain no secrets. They are logged on the task of the call, so metadata providers can read its
    /// task-local values.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - level: Returns the level of an event. Default: ``standardLevel(of:)``, for applications. In a library pass
    ///     another one, because libraries should log no warnings and errors.
    public static func swiftLog(
        _ logger: Logger,
        level: @escaping @Sendable (Event) -> Logger.Level = standardLevel(of:)
    ) -> LogDestination {
        LogDestination { event in
            logger.log(level: level(event), event.message, metadata: event.metadata)
        }
    }

    /// Returns the default level of an event, which the system log uses, too: failures are errors, retries are notices,
    /// and all other events are debug messages.
    public static func standardLevel(of event: Event) -> Logger.Level {
        switch event.kind {
        case .failed: .error
        case .retrying: .notice
        case .started, .attempt, .message, .succeeded, .canceled: .debug
        }
    }
}
