import Requests

extension Timeouts {
    /// An idle timeout of a day, so that only the suite's time limit ends a request that hangs.
    static let unlimited = Timeouts(idle: .seconds(86_400))
}
