import Foundation
import RequestsClient

/// Sends one request after another, and treats each response in a random way.
struct Visitor: Sendable {
    let baseURL: URL
    let pages: [Page]
    let seed: UInt64
    let transport: @Sendable () throws -> any Transport

    /// What happens to a response.
    private enum Manner: CaseIterable {
        case readAll, readSlowly, dropAtOnce, dropHalfRead, cancelEarly, cancelLate
    }

    static let wrong = "wrong response"
    static let hung = "hung"

    func visit(until end: ContinuousClock.Instant) async throws -> [String: Int] {
        var random = SplitMix(state: seed)
        var outcomes: [String: Int] = [:]
        while ContinuousClock.now < end {
            outcomes[try await exchange(&random), default: 0] += 1
        }
        return outcomes
    }

    private func exchange(_ random: inout SplitMix) async throws -> String {
        guard let page = pages.randomElement(using: &random), let manner = Manner.allCases.randomElement(using: &random)
        else { return Visitor.wrong }
        let wait = Duration.microseconds(Int.random(in: 0..<(manner == .cancelEarly ? 500 : 20_000), using: &random))
        let upload = Data(count: page.isUpload ? Int.random(in: 0..<300_000, using: &random) : 0)
        let transport = try transport()
        var request = try request(page, upload)
        // Longer than any response takes. An exchange that reaches it hangs.
        request.options.timeouts.idle = .seconds(20)
        let task = Task { [request] in
            try await Visitor.read(transport.send(request), page.body(upload.count), page, manner, wait)
        }
        if manner == .cancelEarly || manner == .cancelLate {
            try? await Task.sleep(for: wait)
            task.cancel()
        }
        do {
            return try await task.value
        } catch is CancellationError {
            return "canceled"
        } catch let error as TransportError {
            if (error as? TransportError)?.isTimeout == true { return Visitor.hung }
            return page.isComplete ? "\(Visitor.wrong): \(error.code.rawValue)" : error.code.rawValue
        }
    }

    private func request(_ page: Page, _ upload: Data) throws -> PreparedRequest {
        let api = BaseURL(baseURL)
        let endpoint = Endpoint(path: page.path)
        guard page.isUpload else { return try api.get(.none, from: endpoint).prepared() }
        return try api.post(.raw(data: upload), to: endpoint).prepared()
    }

    private static func read(
        _ response: Response<ResponseBody>,
        _ expected: Data,
        _ page: Page,
        _ manner: Manner,
        _ wait: Duration
    ) async throws -> String {
        guard response.head.statusCode == page.status else { return wrong }
        if manner == .dropAtOnce { return "dropped" }
        var received = Data()
        for try await chunk in response.content {
            received.append(chunk)
            guard expected.prefix(received.count) == received else { return wrong }
            if manner == .dropHalfRead, received.count > expected.count / 2 { return "dropped" }
            if manner == .readSlowly { try await Task.sleep(for: wait / 8) }
        }
        return received.count == expected.count && page.isComplete ? "read" : wrong
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
