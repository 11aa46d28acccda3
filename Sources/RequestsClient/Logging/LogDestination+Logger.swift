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
