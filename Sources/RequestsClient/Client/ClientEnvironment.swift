import Requests

/// The environment of a client's call.
struct ClientEnvironment: CallEnvironment {
    private let runner: CallRunner
    private let stopwatch: (@Sendable () -> Duration)?

    init(_ runner: CallRunner, elapsed: (@Sendable () -> Duration)?) {
        self.runner = runner
        stopwatch = elapsed
    }

    var elapsed: Duration { stopwatch?() ?? .zero }

    var date: Date { runner.configuration.date() }

    mutating func random() -> Double { runner.configuration.random() }

    mutating func cookies(for url: RequestURL) -> String? {
        runner.configuration.cookies?.field(for: url, at: runner.configuration.date)
    }

    mutating func keepCookies(_ header: Header, from url: RequestURL) {
        guard let cookies = runner.configuration.cookies, header.contains(.setCookie) else { return }
        cookies.store(header, from: url, at: date)
    }

    mutating func token() -> String { runner.configuration.token() }

    mutating func claimRetry() -> Bool { runner.configuration.retryBudget?.takeRetry() ?? true }
}
