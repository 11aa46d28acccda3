import Foundation
import Requests

/// What every ``Transport`` must do, as cases that any of them can be run against.
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
    /// Cases that are left out are printed with their reasons.
    ///
    /// - Parameters:
    ///   - excluded: Cases to leave out, each with its reason: `.trailers("reason")`.
    ///   - cases: The cases to run; all by default.
    ///   - makeTransport: Makes a transport for one case.
    /// - Returns: What came out, case by case.
    /// - Throws: ``Report`` when a case fails.
    @discardableResult
    public static func run(
        excluding excluded: [Case] = [],
        cases: [Case] = Case.all,
        makeTransport: @Sendable () throws -> any Transport
    ) async throws -> Report {
        var report = Report()
        for aCase in cases {
            if let exclusion = excluded.first(where: { $0.name == aCase.name }) {
                print("excluded: \(aCase.name): \(exclusion.exclusionReason ?? "no reason was given")")
                report.add(aCase, .excluded(exclusion.exclusionReason ?? ""))
                continue
            }
            let reason = await failure(of: aCase, makeTransport)
            report.add(aCase, reason.map { .failed($0) } ?? .passed)
        }
        if report.hasFailures { throw report }
        return report
    }

    /// - Returns: Why the case failed; `nil` when it passed.
    private static func failure(of aCase: Case, _ makeTransport: @Sendable () throws -> any Transport) async -> String?
    {
        let context: Context
        do {
            context = Context(transport: try makeTransport())
        } catch {
            return "no transport could be made: \(error)"
        }
        defer { context.stopServers() }
        return await Race.first(within: aCase.deadline) {
            do {
                try await aCase.body(context)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
}

/// A wait that ends at a deadline, even when what it waits for never does.
private enum Race {
    static func first(
        within deadline: Duration,
        _ operation: @escaping @Sendable () async -> String?
    ) async -> String? {
        let winner = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingOldest(1))
        let work = Task { winner.continuation.yield(await operation()) }
        let alarm = Task {
            try await Task.sleep(for: deadline)
            winner.continuation.yield("there was no end within \(deadline)")
        }
        defer {
            work.cancel()
            alarm.cancel()
        }
        for await result in winner.stream { return result }
        return "the case was cancelled"
    }
}
