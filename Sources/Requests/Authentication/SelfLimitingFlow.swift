/// A flow that sees to it that it waits no longer than it may, or that never waits: nobody has to watch it.
protocol SelfLimitingFlow: AuthenticationFlow {
    mutating func limit(by deadline: CallDeadline)
}
