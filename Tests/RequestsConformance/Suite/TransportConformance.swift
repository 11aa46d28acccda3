import Requests
import RequestsClient
import RequestsTesting

/// A suite of test cases that every `Transport` must pass.
///
/// The cases start their own servers on 127.0.0.1. Run them from Swift Testing or XCTest:
///
/// ```swift
/// try await TransportConformance.run(excluding: [.trailers("the wrapped library drops them")]) {
///     try MyTransport()
/// }
/// ```
public enum TransportConformance {
    /// Runs the cases one at a time, each with a new transport.
    ///
    /// Excluded and inapplicable cases are printed with their reasons.
    ///
    /// - Parameters:
    ///   - excluded: The cases to exclude, each with a reason: `.trailers("reason")`. Default: none.
    ///   - cases: The cases to run. Default: all.
    ///   - makeTLSTransport: Creates a transport with TLS options. Cases that need one don't apply if this closure is
    ///     `nil` or throws `TransportError.Code.unsupported`. Default: `nil`.
    ///   - makeHTTP2Transport: Creates a transport that uses HTTP/2 with servers without TLS (prior knowledge, RFC 9113
    ///     §3.3). The HTTP/2 cases don't apply if this closure is `nil`. Default: `nil`.
    ///   - makeTransport: Creates the transport for one case.
    /// - Returns: The outcome of each case.
    /// - Throws: ``Report`` if a case fails.
    @discardableResult
    public static func run(
        excluding excluded: [Case] = [],
        cases: [Case] = Case.all,
        makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)? = nil,
        makeHTTP2Transport: (@Sendable () throws -> any Transport)? = nil,
        makeTransport: @Sendable () throws -> any Transport
    ) async throws -> Report {
        try await run(
            excluding: excluded,
            cases: cases,
            reaching: { $0.baseURL },
            makeTLSTransport: makeTLSTransport,
            makeHTTP2Transport: makeHTTP2Transport,
            makeTransport: makeTransport
        )
    }

    /// Runs the cases with a different address for each server, such as that of a proxy in front of it.
    @discardableResult
    package static func run(
        excluding excluded: [Case] = [],
        cases: [Case] = Case.all,
        reaching address: @escaping @Sendable (LoopbackServer) -> URL,
        makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)? = nil,
        makeHTTP2Transport: (@Sendable () throws -> any Transport)? = nil,
        makeTransport: @Sendable () throws -> any Transport
    ) async throws -> Report {
        var report = Report()
        for aCase in cases {
            let outcome: Report.Outcome
            if let exclusion = excluded.first(where: { $0.name == aCase.name }) {
                outcome = .excluded(exclusion.exclusionReason ?? "no reason was given")
            } else {
                outcome = await run(aCase) {
                    Context(
                        transport: try makeTransport(),
                        makeTLSTransport: makeTLSTransport,
                        makeHTTP2Transport: makeHTTP2Transport,
                        address: address
                    )
                }
            }
            report.add(aCase, outcome)
        }
        for line in report.exceptions { print(line) }
        if report.hasFailures { throw report }
        return report
    }

    private static func run(_ aCase: Case, _ makeContext: () throws -> Context) async -> Report.Outcome {
        let context: Context
        do {
            context = try makeContext()
        } catch {
            return .failed("makeTransport threw an error: \(error)")
        }
        defer { context.stopServers() }
        return await Race.first(within: aCase.deadline) {
            do {
                try await aCase.body(context)
                return .passed
            } catch let error as Inapplicable {
                return .inapplicable(error.reason)
            } catch {
                return .failed("\(error)")
            }
        }
    }

    /// The options of a transport for a TLS case.
    public struct TLSOptions: Sendable {
        /// A PEM file with the certificate authority to trust. `nil` means the system's authorities.
        public let authority: URL?

        /// The public keys to require, by host. Empty to require none.
        public let publicKeyPins: PublicKeyPins
    }
}

/// A race between an operation and a deadline, which ends even if the operation ignores cancellation.
private enum Race {
    static func first(
        within deadline: Duration,
        _ operation: @escaping @Sendable () async -> TransportConformance.Report.Outcome
    ) async -> TransportConformance.Report.Outcome {
        let winner = AsyncStream.makeStream(
            of: TransportConformance.Report.Outcome.self,
            bufferingPolicy: .bufferingOldest(1)
        )
        let work = Task { winner.continuation.yield(await operation()) }
        let alarm = Task {
            try await Task.sleep(for: deadline)
            let reason = "the case didn't end within \(deadline); on a slow machine, set ending(within:)"
            winner.continuation.yield(.failed(reason))
        }
        defer {
            work.cancel()
            alarm.cancel()
        }
        for await result in winner.stream { return result }
        return .failed("the case was canceled")
    }
}
