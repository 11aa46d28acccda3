import Foundation
import Notes
import Requests
import RequestsClient
import RequestsCurl
import RequestsTesting

/// Uses an API through a client of its own, which knows pages, versions and typed errors.
///
///     api-client                          a server of its own, on this machine
///     api-client http://localhost:8080    a real server with the same API
@main
struct APIClient {
    static func main() async throws {
        let server = CommandLine.arguments.count > 1 ? nil : try NotesServer.start()
        guard let baseURL = server?.baseURL ?? URL(string: CommandLine.arguments[1]) else {
            throw URLError(.badURL)
        }
        let client = Client(transport: CurlTransport.shared)
        let notes = Notes(NotesAPI(baseURL: baseURL, token: "s3cret"), client: client)

        print("All notes about milk, two on a page:")
        let found = try await notes.search("milk", perPage: 2)
        print(found.map(\.text).joined(separator: ", "))

        print("\nA note that is known is not sent again:")
        let known = try await notes.note(1)
        let again = try await notes.note(1, known: known)
        print(again == known ? "still “\(again.text)”" : "now “\(again.text)”")

        print("\nOf two who change the same version, the second is told:")
        let changed = try await notes.replace(known, text: "oat milk, 2 bottles")
        print("now “\(changed.text)”")
        await report { _ = try await notes.replace(known, text: "no oat milk") }

        print("\nErrors are those of the API:")
        await report { _ = try await notes.note(99) }
        let stranger = Notes(NotesAPI(baseURL: baseURL, token: "guess"), client: client)
        await report { _ = try await stranger.note(1) }
        server?.stop()
        await report { _ = try await notes.note(1) }
    }

    private static func report(_ operation: () async throws -> Void) async {
        do {
            try await operation()
            print("no error")
        } catch {
            print("error: \(error)")
        }
    }
}
