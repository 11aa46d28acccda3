import Foundation
import RequestsCurl
import RequestsTesting
import RequestsURLSession

/// Defines a few requests, prints them, and sends them over three transports.
///
///     tour                           uses its own local server
///     tour http://localhost:8080     uses a real server with the same API
@main
struct Tour {
    private struct Stop {
        /// The Swift expression that creates the request.
        let code: String
        let request: any RequestConvertible
        /// The expected decoded response.
        let result: String
    }

    private static func stops(in api: PeopleAPI) -> [Stop] {
        let grace = Person(id: 7, name: "Grace")
        return [
            Stop(code: "api.person(1)", request: api.person(1), result: "Ada"),
            Stop(
                code: #"api.search("a & b", limit: 2)"#,
                request: api.search("a & b", limit: 2),
                result: "[Ada, Alan]"
            ),
            Stop(
                code: #"api.biography(of: "A/C Doyle")"#,
                request: api.biography(of: "A/C Doyle"),
                result: "He wrote."
            ),
            Stop(
                code: #"api.add(grace, token: "s3cret")"#,
                request: api.add(grace, token: "s3cret"),
                result: "Grace"
            ),
            Stop(code: #"api.remove(1, token: "s3cret")"#, request: api.remove(1, token: "s3cret"), result: "()"),
        ]
    }

    static func main() async {
        do {
            try await run()
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func run() async throws {
        let server = CommandLine.arguments.count > 1 ? nil : try PeopleServer.start()
        let baseURL = try server?.baseURL ?? RequestURL(CommandLine.arguments[1]).url
        page.title("A tour of Requests")
        page.text(
            """
            A request is a value. It is built offline, printed without credentials, and
            sent over any transport. Below, each request is sent over a stub, over
            URLSession and over libcurl. Examples/Sources/tour/PeopleAPI.swift defines
            the API: its header, and one method for each request.
            """
        )
        for stop in stops(in: PeopleAPI(baseURL: baseURL)) {
            page.title(stop.code)
            page.block("as a curl command", page.folded(try stop.request.curlCommand()))
            let prepared = try stop.request.prepared()
            if !prepared.body.isNone { page.block("as an HTTP message", prepared.httpMessage()) }
            page.label("sent")
            for (name, transport) in transports {
                try await show(stop.request, over: transport, named: name, expecting: stop.result)
            }
        }
        page.title("Result")
        page.text(
            """
            All three transports returned the same responses.

            docs/cookbook.md has short answers to common tasks, and this program is
            Examples/Sources/tour.
            """
        )
        withExtendedLifetime(server) {}
    }

    private static let transports: [(name: String, transport: any Transport)] = [
        ("stub", PeopleServer.stub), ("URLSession", URLSessionTransport.shared), ("libcurl", CurlTransport.shared),
    ]

    private static let page = Page()

    private static func show(
        _ request: some RequestConvertible,
        over transport: any Transport,
        named name: String,
        expecting result: String
    ) async throws {
        let start = ContinuousClock.now
        let response = try await Client(transport: transport).response(for: request)
        let time = (ContinuousClock.now - start) / .milliseconds(1)
        let padded = name.padding(toLength: 12, withPad: " ", startingAt: 0)
        let content = response.content is Void ? "no content" : "\(response.content)"
        let line = "\(padded)\(response.head.statusCode)  \(content)"
        page.line("\(line.padding(toLength: 36, withPad: " ", startingAt: 0))\(String(format: "%.1f ms", time))")
        guard "\(response.content)" == result else { throw Unexpected(result: result) }
    }
}

/// The error for a response that differs from the expected result.
struct Unexpected: Error, CustomStringConvertible {
    let result: String
    var description: String { "the response isn't \(result)" }
}
