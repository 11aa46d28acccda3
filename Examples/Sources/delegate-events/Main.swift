import Foundation
import RequestsCurl
import RequestsTesting
import RequestsURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Prints the times at which code over URLSession receives events that a server sends every 200 milliseconds.
///
///     delegate-events    uses its own local server
@main
struct Main {
    static func main() async throws {
        let server = try LoopbackServer.http { _ in
            .streaming(200, header: [.contentType(.eventStream)]) { body in
                for number in 1...5 {
                    try body.write(data: "\(number)")
                    Thread.sleep(forTimeInterval: 0.2)
                }
            }
        }
        let start = ContinuousClock.now
        let (data, _) = try await URLSession(configuration: .ephemeral).data(from: server.baseURL)
        printTimes("data(from:)", events(in: data).map { ($0, .now - start) })

        let bareReader = ChunkReader()
        let bare = URLSession(configuration: .ephemeral, delegate: bareReader, delegateQueue: nil)
        defer { bare.finishTasksAndInvalidate() }
        try await printTimes("a delegate", of: server, bare, bareReader)

        let client = Client(transport: CurlTransport.shared)
        let reader = ChunkReader()
        let session = URLSession.sending(over: client, delegate: reader)
        defer { session.finishTasksAndInvalidate() }
        try await printTimes("sending(over: client)", of: server, session, reader)
    }

    /// Sends a request over a session, and prints the times at which its delegate receives each event.
    private static func printTimes(
        _ name: String,
        of server: LoopbackServer,
        _ session: URLSession,
        _ reader: ChunkReader
    ) async throws {
        let start = ContinuousClock.now
        session.dataTask(with: server.baseURL).resume()
        var times: [(event: String, time: Duration)] = []
        for try await chunk in reader.chunks { times += events(in: chunk).map { ($0, .now - start) } }
        printTimes(name, times)
    }

    private static func printTimes(_ name: String, _ times: [(event: String, time: Duration)]) {
        let list = times.map { "\($0.event): \(Int($0.time / .milliseconds(1)))" }
        print("\(name.padding(toLength: 24, withPad: " ", startingAt: 0))\(list.joined(separator: "  "))")
    }

    /// Returns the data of the events, each of which the server sends in one piece.
    private static func events(in data: Data) -> [String] {
        String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0.dropFirst("data: ".count)) }
    }
}
