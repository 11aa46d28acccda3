import Foundation
import Notes
import RequestsCurl
import RequestsTesting

/// Uses an API through a typed client with pages, versions and errors.
///
///     api-client                          uses its own local server
///     api-client http://localhost:8080    uses a real server with the same API
@main
struct APIClient {
    static func main() async throws {
        let server = CommandLine.arguments.count > 1 ? nil : try NotesServer.start()
        guard let baseURL = server?.baseURL ?? URL(string: CommandLine.arguments[1]) else {
            throw URLError(.badURL)
        }
        let client = Client(transport: CurlTransport.shared)
        let notes = Notes(NotesAPI(baseURL: baseURL, token: "s3cret"), client: client)

        print("All notes about milk, two per page:")
        let found = try await notes.search("milk", perPage: 2)
        print(found.map(\.text).joined(separator: ", "))

        print("\nAn unchanged note isn't sent again:")
        let known = try await notes.note(1)
        let again = try await notes.note(1, known: known)
        print(again == known ? "still “\(again.text)”" : "now “\(again.text)”")

        print("\nThe second of two changes to the same version fails:")
        let changed = try await notes.replace(known, text: "oat milk, 2 bottles")
        print("now “\(changed.text)”")
        await report { _ = try await notes.replace(known, text: "no oat milk") }

        print("\nErrors are typed:")
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
