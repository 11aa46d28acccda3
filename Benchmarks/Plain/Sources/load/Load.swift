import Foundation
import RequestsCurl
import RequestsURLSession
import Usage

/// Sends many requests to one server over one transport, and counts leaked descriptors, threads and memory.
///
///     load curl http://127.0.0.1:8080/json
///
/// Fails if a request fails, if descriptors or threads leak, or if memory grows between request 1,000 and 10,000.
@main
struct Load {
    static let count = 10_000

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let kind = arguments.first, let text = arguments.last, let url = URL(string: text)
        else {
            print("usage: load curl|urlsession URL")
            exit(2)
        }
        var passed = true
        for inFlight in [1, 64] {
            passed = try await run(kind, url, inFlight: inFlight) && passed
        }
        exit(passed ? 0 : 1)
    }

    private static func run(_ kind: String, _ url: URL, inFlight: Int) async throws -> Bool {
        let request = BaseURL(url).get(.data, from: "")
        // The first exchange starts resources that the process keeps, such as thread pools.
        try await exchange(request, over: try transport(kind), count: 2 * inFlight, inFlight: inFlight)
        try await Task.sleep(for: .seconds(1))
        let before = Usage.now

        let start = ContinuousClock.now
        let grown = try await memoryGrowth(of: request, over: try transport(kind), inFlight: inFlight)
        let time = (ContinuousClock.now - start) / .seconds(1)
        let after = await Usage.settled(before)

        let rate = Double(count) / time
        print("\(kind), \(inFlight) in flight: \(count) requests, no error, \(Int(rate)) a second")
        print("  descriptors \(before.descriptors) before, \(after.descriptors) after")
        print("  threads     \(before.threads) before, \(after.threads) after")
        print("  memory      \(grown / 1024) KiB more at request \(count) than at request 1000")
        return after.descriptors <= before.descriptors && after.threads <= before.threads && grown <= 2 << 20
    }

    private static func memoryGrowth(
        of request: some RequestConvertible,
        over transport: any Transport,
        inFlight: Int
    ) async throws -> Int {
        try await exchange(request, over: transport, count: 1000, inFlight: inFlight)
        let first = Usage.now.residentBytes
        try await exchange(request, over: transport, count: count - 1000, inFlight: inFlight)
        return Usage.now.residentBytes - first
    }

    private static func exchange(
        _ request: some RequestConvertible,
        over transport: any Transport,
        count: Int,
        inFlight: Int
    ) async throws {
        let client = Client(transport: transport)
        try await withThrowingTaskGroup { group in
            for worker in 0..<inFlight {
                group.addTask {
                    for _ in stride(from: worker, to: count, by: inFlight) { _ = try await client.send(request) }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func transport(_ kind: String) throws -> any Transport {
        switch kind {
        case "curl": try CurlTransport()
        case "urlsession": URLSessionTransport()
        default: throw TransportError(code: .unsupported, message: "no transport is named \(kind)", phase: .preparing)
        }
    }
}
