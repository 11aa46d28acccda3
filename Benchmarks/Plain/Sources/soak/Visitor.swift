import Foundation
import Requests
import RequestsClient

/// Makes exchanges one after the other, and treats each in a random way.
struct Visitor: Sendable {
    let transport: any Transport
    let baseURL: URL
    let seed: UInt64

    /// What is done with a response.
    private enum Manner: CaseIterable {
        case readAll, readSlowly, dropAtOnce, dropHalfRead, cancelEarly, cancelLate
    }

    func visit(until end: ContinuousClock.Instant) async -> [String: Int] {
        var random = SplitMix(state: seed)
        var outcomes: [String: Int] = [:]
        while ContinuousClock.now < end {
            let outcome = await exchange(&random)
            outcomes[outcome, default: 0] += 1
        }
        return outcomes
    }

    private func exchange(_ random: inout SplitMix) async -> String {
        let path = ["/small", "/large", "/reset", "/cut", "/drip", "/refused", "/upload"].randomElement(using: &random)
        let manner = Manner.allCases.randomElement(using: &random) ?? .readAll
        let wait = Duration.microseconds(Int.random(in: 0..<(manner == .cancelEarly ? 500 : 20_000), using: &random))
        let body = Data(count: Int.random(in: 0..<300_000, using: &random))
        let task = Task { [transport, baseURL] in
            let api = AnonymousRequestProvider(baseURL: baseURL)
            let endpoint = Endpoint(path: path ?? "/small")
            var request =
                try path == "/upload"
                ? api.post(.raw(data: body), to: endpoint).prepared() : api.get(.none, from: endpoint).prepared()
            request.options.timeouts.idle = .seconds(20)
            return try await Visitor.read(transport.send(request).content, manner, wait)
        }
        if manner == .cancelEarly || manner == .cancelLate {
            try? await Task.sleep(for: wait)
            task.cancel()
        }
        do {
            return try await task.value
        } catch is CancellationError {
            return "cancelled"
        } catch {
            return (error as? TransportError)?.code.rawValue ?? "\(type(of: error))"
        }
    }

    private static func read(_ body: ResponseBody, _ manner: Manner, _ wait: Duration) async throws -> String {
        if manner == .dropAtOnce { return "dropped" }
        var chunks = 0
        for try await _ in body {
            chunks += 1
            if manner == .dropHalfRead, chunks == 3 { return "dropped" }
            if manner == .readSlowly { try await Task.sleep(for: wait / 8) }
        }
        return "read"
    }
}

/// Random numbers that are the same for the same seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
