import RequestsClient

/// The notes on a server. This type hides HTTP from the rest of the program.
package struct Notes: Sendable {
    private let api: NotesAPI
    private let client: Client

    package init(_ api: NotesAPI, client: Client) {
        (self.api, self.client) = (api, client)
    }

    /// Returns the notes that contain a word, from all pages of the result.
    package func search(_ word: String, perPage count: Int = 50) async throws -> [Note] {
        try await translatingErrors {
            try await client.pages(api.search(word, perPage: count)).reduce(into: []) { $0 += $1.content }
        }
    }

    /// Returns a note. If `known` is still the current version, the server doesn't send it again.
    package func note(_ id: Int, known: Note? = nil) async throws -> Note {
        try await translatingErrors {
            let response = try await client.response(for: api.note(id, known: known?.version))
            guard let note = response.content.map(response.versioned) ?? known else {
                throw NotesError.invalidResponse("the response for note \(id) contains no note; check the server")
            }
            return note
        }
    }

    /// Replaces the text of a note. Throws `conflict` if the note has changed on the server.
    package func replace(_ note: Note, text: String) async throws -> Note {
        var note = note
        note.text = text
        return try await translatingErrors { try await client.response(for: api.replace(note)).versioned(note) }
    }

    /// Adds a note.
    ///
    /// - Parameter key: A unique key for this note, so that a retried request doesn't add it twice.
    package func add(_ text: String, key: String) async throws -> Note {
        try await translatingErrors { try await client.send(api.add(text, key: key)) }
    }

    private func translatingErrors<Result>(_ operation: () async throws -> Result) async throws -> Result {
        do { return try await operation() } catch { throw try NotesError(error) }
    }
}

extension Response {
    /// Returns a note with the version in the response's header.
    fileprivate func versioned(_ note: Note) -> Note {
        Note(id: note.id, text: note.text, version: head.header[.eTag].flatMap { Field.EntityTag($0) })
    }
}
