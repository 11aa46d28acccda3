import Foundation
import Requests
import RequestsClient
import RequestsCurl
import RequestsTesting
import RequestsURLSession

/// Defines a few requests, prints them, and sends them over three transports.
///
///     tour                           uses its own local server
///     tour http://localhost:8080     uses a real server with the same API
@main
struct Tour {
    /// The requests, with the expected decoded responses.
    private static func requests(to api: PeopleAPI) -> [(request: any RequestConvertible, answer: String)] {
        [
            (api.person(1), "Ada"),
            (api.search("a & b", limit: 2), "[Ada, Alan]"),
            (api.biography(of: "A/C Doyle"), "He wrote."),
            (api.add(Person(id: 7, name: "Grace"), token: "s3cret"), "Grace"),
            (api.remove(1, token: "s3cret"), "()"),
        ]
    }

    static func main() async throws {
        let server = CommandLine.arguments.count > 1 ? nil : try PeopleServer.start()
        guard let baseURL = server?.baseURL ?? URL(string: CommandLine.arguments[1]) else { throw URLError(.badURL) }
        let requests = requests(to: PeopleAPI(baseURL: baseURL))

        print("Requests are values. They are built offline and printed without credentials:\n")
        for (request, _) in requests {
            print(
                try request.curlCommand(),
                try request.prepared().httpMessage(),
                separator: "\n\n",
                terminator: "\n\n"
            )
        }

        let transports: [(name: String, transport: any Transport)] = [
            ("stub", PeopleServer.stub), ("URLSession", URLSessionTransport()), ("libcurl", CurlTransport.shared),
        ]
        for (request, answer) in requests {
            print(request)
            for (name, transport) in transports {
                print("    \(name.padding(toLength: 12, withPad: " ", startingAt: 0))", terminator: "")
                try await show(request, over: transport, expecting: answer)
            }
        }
        print("\nAll three transports returned the same responses.")
        withExtendedLifetime(server) {}
    }

    private static func show(
        _ request: some RequestConvertible,
        over transport: any Transport,
        expecting answer: String
    ) async throws {
        let start = ContinuousClock.now
        let response = try await Client(transport: transport).response(for: request)
        let time = (ContinuousClock.now - start) / .milliseconds(1)
        print("\(response.head.statusCode)  \(response.content)  \(String(format: "%.1f ms", time))")
        guard "\(response.content)" == answer else { throw Unexpected(answer: answer) }
    }
}

/// A response that differs from the expected one.
struct Unexpected: Error {
    let answer: String
}
