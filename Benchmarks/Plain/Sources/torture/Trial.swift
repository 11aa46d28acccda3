import CFaults
import Foundation
import RequestsCurl

/// One exchange, over a new transport, during which one call fails.
struct Trial {
    let exchange: Exchange
    let call: Call

    /// A call that fails: the `position`th of a function. Position 0 is none.
    struct Call {
        let function: Int
        let position: Int
    }

    /// Returns what happened, or throws ``Fault``.
    ///
    /// - Parameter resources: What may be left. `nil` for anything.
    func run(_ resources: Resources?) async throws -> String {
        faults_arm(Int32(call.function), call.position)
        let outcome: String
        do {
            outcome = try await runArmed()
        } catch {
            faults_disarm()
            throw error
        }
        faults_disarm()
        try await resources?.awaitRelease()
        return call.position == 0 || faults_happened() ? outcome : "not reached"
    }

    private func runArmed() async throws -> String {
        let transport: CurlTransport
        do {
            transport = try CurlTransport(configuration: exchange.configuration)
        } catch {
            faults_disarm()
            try await confirm(CurlTransport(configuration: exchange.configuration))
            return try name(of: error)
        }
        let outcome = try await outcome(over: transport)
        if exchange == .shutdown { return outcome }
        faults_disarm()
        try await confirm(transport)
        return outcome
    }

    private func outcome(over transport: CurlTransport) async throws -> String {
        do {
            try await exchange.run(over: transport)
            if exchange == .shutdown { await transport.shutdown() }
            return "succeeded"
        } catch {
            return try name(of: error)
        }
    }

    /// Sends a request over a transport that has met a failure.
    private func confirm(_ transport: CurlTransport) async throws {
        do {
            try await exchange.get(over: transport)
        } catch {
            throw Fault("the next request failed: \(error)")
        }
        await transport.shutdown()
    }

    private func name(of error: any Error) throws -> String {
        switch error {
        case is Exchange.WrongResponse: throw Fault("wrong response")
        case let error as TransportError where error.isTimeout: throw Fault("hung: \(error)")
        case let error as TransportError: return "failed: \(error)"
        default: throw Fault("an error of the wrong type: \(error)")
        }
    }
}

/// What must not happen, whatever fails.
struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
