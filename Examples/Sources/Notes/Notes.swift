import Requests
import RequestsClient

/// The notes on a server. Hides HTTP from the rest of the program.
package struct Notes: Sendable {
    private let api: NotesAPI
    private let client: Client

    package init(_ api: NotesAPI, client: Client) {
        (self.api, self.client) = (api, client)
    }

    /// Returns all notes that contain a word, from all pages.
    package func search(_ word: String, perPage count: Int = 50) async throws -> [Note] {
        try await translatingErrors {
            try await client.pages(api.search(word, perPage: count)).reduce(into: []) { $0 += $1.content }
        }
    }

    /// Returns a note. The server sends it only if it differs from the known version.
    package func note(_ id: Int, known: Note? = nil) async throws -> Note {
        try await translatingErrors {
            let response = try await client.response(for: api.note(id, known: known?.version))
            guard let note = response.content.map(response.versioned) ?? known else {
                throw NotesError.invalidResponse("the response contains no note")
            }
            return note
        }
    }

    /// Replaces the text of a note, unless the note has changed on the server.
    package func replace(_ note: Note, text: String) async throws -> Note {
        var note = note
        note.text = text
        return try await translatingErrors { try await client.response(for: api.replace(note)).versioned(note) }
    }

    /// Adds a note.
    ///
    /// - Parameter key: Identifies the addition, so that a repeated request doesn't add a second note.
    package func add(_ text: String, key: String) async throws -> Note {
        try await translatingErrors { try await client.send(api.add(text, key: key)) }
    }

    private func translatingErrors<Result>(_ operation: () async throws -> Result) async throws -> Result {
        do { return try await operation() } catch { throw try NotesError(error) }
    }
}

extension Response {
    /// Returns a note with the version from the response.
    fileprivate func versioned(_ note: Note) -> Note {
        Note(id: note.id, text: note.text, version: head.header[.eTag].flatMap { Field.EntityTag($0) })
    }
}
