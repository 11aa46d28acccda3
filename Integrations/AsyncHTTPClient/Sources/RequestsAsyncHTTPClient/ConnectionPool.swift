import AsyncHTTPClient
import NIOCore
import Synchronization

/// The client that all copies of a transport share. It shuts down on deinitialization, which AsyncHTTPClient requires.
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

    /// Executes a request. If an idle connection turns out to be closed before any byte was written, tries another one.
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
        // The error only says that requests were canceled, which is intended.
        try? await client.shutdown()
    }
}
