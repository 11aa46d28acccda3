import Foundation
import Requests
import RequestsClient

/// What every `Transport` must do, as cases that any of them can be run against.
///
/// The servers that the cases need run in the process, on 127.0.0.1. From Swift Testing or XCTest it is one call:
///
/// ```swift
/// try await TransportConformance.run(excluding: [.trailers("the wrapped library drops them")]) {
///     try MyTransport()
/// }
/// ```
public enum TransportConformance {
    /// Runs the cases, each with a transport of its own, one after the other.
    ///
    /// Cases that are left out, or cannot be run here, are printed with their reasons.
    ///
    /// - Parameters:
    ///   - excluded: Cases to leave out, each with its reason: `.trailers("reason")`.
    ///   - cases: The cases to run; all by default.
    ///   - makeTLSTransport: Makes a transport that trusts an authority or has pins; without it the cases that need one
    ///     are left out, and so are those for which it throws `TransportError.Code.unsupported`.
    ///   - makeTransport: Makes a transport for one case.
    /// - Returns: What came out, case by case.
    /// - Throws: ``Report`` when a case fails.
    @discardableResult
    public static func run(
        excluding excluded: [Case] = [],
        cases: [Case] = Case.all,
        makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)? = nil,
        makeTransport: @Sendable () throws -> any Transport
    ) async throws -> Report {
        try await run(
            excluding: excluded,
            cases: cases,
            reaching: { $0.baseURL },
            makeTLSTransport: makeTLSTransport,
            makeTransport: makeTransport
        )
    }

    /// Runs the cases, with each server reached by another address than its own: that of a proxy in front of it.
    @discardableResult
    package static func run(
        excluding excluded: [Case] = [],
        cases: [Case] = Case.all,
        reaching address: @escaping @Sendable (LoopbackServer) -> URL,
        makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)? = nil,
        makeTransport: @Sendable () throws -> any Transport
    ) async throws -> Report {
        var report = Report()
        for aCase in cases {
            let outcome: Report.Outcome
            if let exclusion = excluded.first(where: { $0.name == aCase.name }) {
                outcome = .excluded(exclusion.exclusionReason ?? "no reason was given")
            } else {
                outcome = await run(aCase, address, makeTLSTransport, makeTransport)
            }
            switch outcome {
            case .excluded(let reason): print("excluded: \(aCase.name): \(reason)")
            case .inapplicable(let reason): print("not applicable: \(aCase.name): \(reason)")
            case .passed, .failed: break
            }
            report.add(aCase, outcome)
        }
        if report.hasFailures { throw report }
        return report
    }

    private static func run(
        _ aCase: Case,
        _ address: @escaping @Sendable (LoopbackServer) -> URL,
        _ makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)?,
        _ makeTransport: @Sendable () throws -> any Transport
    ) async -> Report.Outcome {
        let context: Context
        do {
            context = Context(
                transport: try makeTransport(),
                makeTLSTransport: makeTLSTransport,
                address: address
            )
        } catch {
            return .failed("no transport could be made: \(error)")
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

    /// How a transport for a case of TLS is to be made.
    public struct TLSOptions: Sendable {
        /// The file, in PEM, of the authority to trust in place of the system's; `nil` for the system's.
        public let authority: URL?

        /// The keys that servers may have.
        public let publicKeyPins: PublicKeyPins
    }
}

/// A wait that ends at a deadline, even when what it waits for never does.
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
            winner.continuation.yield(.failed("there was no end within \(deadline)"))
        }
        defer {
            work.cancel()
            alarm.cancel()
        }
        for await result in winner.stream { return result }
        return .failed("the case was cancelled")
    }
}
