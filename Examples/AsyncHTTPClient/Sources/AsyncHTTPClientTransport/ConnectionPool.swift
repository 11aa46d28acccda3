import AsyncHTTPClient
import NIOCore
import Synchronization

/// The client of all copies of a transport. It ends with the last of them, as one that is not shut down must not.
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

    /// A kept connection that is found closed before a byte was written costs another one, not an error.
    func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        for _ in 0..<5 {
            do {
                return try await client.execute(request, deadline: .distantFuture)
            } catch let error as ChannelError where error == .ioOnClosedChannel {}
        }
        return try await client.execute(request, deadline: .distantFuture)
    }

    func shutDown() async {
        guard !shutDownFlag.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // It says that requests were cut off, which is what was wanted.
        try? await client.shutdown()
    }
}
