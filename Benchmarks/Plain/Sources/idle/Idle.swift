import CConnections
import CUsage
import Foundation
import RequestsCurl
import Usage

/// Opens many connections at once, leaves them idle and closes them, and says what memory that takes and leaves.
///
///     idle transport|libcurl CONNECTIONS
///
/// `transport` is ``CurlTransport``, and `libcurl` is the same in plain C. Memory "in use" doesn't include what the C
/// library keeps for later. Fails if 1 MiB more is in use at the end than before.
@main
struct Idle {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let kind = arguments.first, let count = arguments.last.flatMap({ Int($0) }) else {
            print("usage: idle transport|libcurl CONNECTIONS")
            exit(2)
        }
        if kind == "serve" { return try Server.run(connections: count) }
        // Once, for what a process and its libraries need in any case.
        try await open(kind, 10) {}
        try await Task.sleep(for: .seconds(1))
        memory_trim()
        let before = Usage.now
        print("\(kind), \(count) connections: resident, in use")
        show("before", before)
        try await open(kind, count) { show("idle", .now) }
        show("closed", await Usage.atRest())
        memory_trim()
        let after = await Usage.atRest()
        show("trimmed", after)
        exit(after.allocatedBytes - before.allocatedBytes < 1 << 20 ? 0 : 1)
    }

    /// Opens connections, calls a closure while they are idle, and closes them.
    private static func open(_ kind: String, _ count: Int, whileIdle: () -> Void) async throws {
        let server = try Server(connections: count)
        defer { server.stop() }
        if kind == "libcurl" {
            guard let connections = connections_open(server.url.absoluteString, Int32(count)) else { exit(1) }
            whileIdle()
            return connections_close(connections)
        }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http1_1
        configuration.connections.maximumIdle = count
        let transport = try CurlTransport(configuration: configuration)
        try await send(count, to: server.url, over: Client(transport: transport))
        try await Task.sleep(for: .seconds(1))
        whileIdle()
        await transport.shutdown()
    }

    private static func send(_ count: Int, to url: URL, over client: Client) async throws {
        let request = BaseURL(url).get(.data, from: "")
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { _ = try await client.send(request) } }
            try await group.waitForAll()
        }
    }

    private static func show(_ name: String, _ usage: Usage) {
        let mebibytes = { (bytes: Int) in String(format: "%7.1f MiB", Double(bytes) / 1048576) }
        print("  \(name):\t\(mebibytes(usage.residentBytes))\t\(mebibytes(usage.allocatedBytes))")
    }
}
