import Foundation
import Requests
import RequestsCurl
import RequestsTesting
import RequestsURLSession

/// Defines a few requests once, prints them, and sends them over three transports.
///
///     tour                           a server of its own, on this machine
///     tour http://localhost:8080     a real server with the same API
@main
struct Tour {
    static func main() async throws {
        let server = CommandLine.arguments.count > 1 ? nil : try PeopleServer.start()
        guard let baseURL = server?.baseURL ?? URL(string: CommandLine.arguments[1]) else {
            throw Mistake.argument(CommandLine.arguments[1])
        }
        let stops = Stop.all(of: PeopleAPI(baseURL: baseURL))
        try printOffline(stops)
        let rows = try await send(stops)
        Table(["request", "transport", "status", "value", "time"], rows.map(\.cells)).print()
        guard rows.allSatisfy(\.isRight) else { throw Mistake.wrongRows }
        print("\nThe same requests, the same answers, over three transports.")
        withExtendedLifetime(server) {}
    }

    /// A request is a value: it can be looked at before anything is sent, and without a network.
    private static func printOffline(_ stops: [Stop]) throws {
        print("Built offline, credentials hidden:\n")
        for stop in stops {
            let request = try stop.prepared()
            print("# \(stop.name)\n\(request.curlCommand())\n")
            print(indented(request.httpMessage()))
        }
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "\n" : "    \($0)\n" }
            .joined()
    }

    private static func send(_ stops: [Stop]) async throws -> [Row] {
        let transports: [(String, any Transport)] = [
            ("stub", PeopleServer.stub),
            ("URLSession", try URLSessionTransport()),
            ("libcurl", CurlTransport.shared),
        ]
        var rows: [Row] = []
        for stop in stops {
            for (name, transport) in transports {
                rows.append(await row(stop, name, Client(transport: transport)))
            }
        }
        return rows
    }

    private static func row(_ stop: Stop, _ transport: String, _ client: Client) async -> Row {
        let start = ContinuousClock.now
        do {
            let (status, value) = try await stop.send(client)
            let time = (ContinuousClock.now - start) / .milliseconds(1)
            let cells = [stop.name, transport, String(status), value, String(format: "%.1f ms", time)]
            return Row(cells: cells, isRight: value == stop.expected)
        } catch {
            return Row(cells: [stop.name, transport, "-", "\(error)", "-"], isRight: false)
        }
    }

    private struct Row {
        let cells: [String]
        let isRight: Bool
    }

    private enum Mistake: Error, CustomStringConvertible {
        case argument(String)
        case wrongRows

        var description: String {
            switch self {
            case .argument(let text): "\(text) is not a URL; try http://localhost:8080"
            case .wrongRows: "some rows are not what was expected"
            }
        }
    }
}
