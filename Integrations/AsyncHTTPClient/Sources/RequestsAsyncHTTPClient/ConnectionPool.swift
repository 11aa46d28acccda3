import AsyncHTTPClient
import NIOCore
import Synchronization

/// The `HTTPClient` that all copies of a transport share. Shuts it down on deinitialization, as AsyncHTTPClient
/// requires.
final class ConnectionPool: Sendable {
    private let client: HTTPClient
    private let shutDownFlag = Atomic(false)

    init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        guard !isShutDown else { return }
        client.shutdown { _ in }
    }

    var isShutDown: Bool { shutDownFlag.load(ordering: .acquiring) }

    /// Executes a request. If an idle connection was closed before any byte was written, tries again, at most five
    /// times.
    func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        for _ in 0..<5 {
            do {
                return try await client.execute(request, deadline: .distantFuture)
            } catch let error as ChannelError where error == .ioOnClosedChannel {}
        }
        return try await client.execute(request, deadline: .distantFuture)
    }

    func shutdown() async {
        guard !shutDownFlag.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Ignored, because the error only reports that requests were canceled, which is intended.
        try? await client.shutdown()
    }
}
