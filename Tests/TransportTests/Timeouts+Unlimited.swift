import Requests

extension Timeouts {
    /// A day without a byte: only a suite's time limit ends a request that hangs, however loaded the machine is.
    static let unlimited = Timeouts(idle: .seconds(86_400))
}
