import Requests
import RequestsClient

/// The notes of a server: what the rest of a program uses, without a word of HTTP.
package struct Notes: Sendable {
    private let api: NotesAPI
    private let client: Client

    package init(_ api: NotesAPI, client: Client) {
        (self.api, self.client) = (api, client)
    }

    /// All notes with a word in them, page after page.
    package func search(_ word: String, perPage count: Int = 50) async throws -> [Note] {
        try await translatingErrors {
            try await client.pages(api.search(word, perPage: count)).reduce(into: []) { $0 += $1.content }
        }
    }

    /// A note, which is sent only where it is another version than the known one.
    package func note(_ id: Int, known: Note? = nil) async throws -> Note {
        try await translatingErrors {
            let response = try await client.response(for: api.note(id, known: known?.version))
            guard let note = response.content.map(response.versioned) ?? known else {
                throw NotesError.unreadable("there is no note in the answer")
            }
            return note
        }
    }

    /// Puts another text into a note, unless the note is not the latest version any more.
    package func replace(_ note: Note, text: String) async throws -> Note {
        var note = note
        note.text = text
        return try await translatingErrors { try await client.response(for: api.replace(note)).versioned(note) }
    }

    /// Adds a note.
    ///
    /// - Parameter key: Says that two attempts are one, so that a lost answer does not mean a second note.
    package func add(_ text: String, key: String) async throws -> Note {
        try await translatingErrors { try await client.send(api.add(text, key: key)) }
    }

    private func translatingErrors<Result>(_ operation: () async throws -> Result) async throws -> Result {
        do { return try await operation() } catch { throw try NotesError(error) }
    }
}

extension Response {
    /// A note with the version that this response says it has.
    fileprivate func versioned(_ note: Note) -> Note {
        Note(id: note.id, text: note.text, version: head.header[.eTag].flatMap { EntityTag($0) })
    }
}
