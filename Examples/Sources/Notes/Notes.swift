import Requests

/// The notes of a server: what the rest of a program uses, without a word of HTTP.
package struct Notes: Sendable {
    private let api: NotesAPI
    private let client: Client

    package init(_ api: NotesAPI, client: Client) {
        self.api = api
        self.client = client
    }

    /// All notes with a word in them, page after page.
    package func search(_ word: String, perPage count: Int = 50) async throws -> [Note] {
        try await translatingErrors {
            var notes: [Note] = []
            for try await page in client.pages(api.search(word, perPage: count)) { notes += page.content }
            return notes
        }
    }

    /// A note, which is sent only where it is another version than the known one.
    package func note(_ id: Int, known: Version? = nil) async throws -> Version {
        try await translatingErrors {
            let response = try await client.response(for: api.note(id, known: known?.tag))
            if let note = response.content { return response.version(of: note) }
            guard let known else { throw NotesError.unreadable("there is no note in the answer") }
            return known
        }
    }

    /// Puts a note in the place of one version of it, unless that is not the latest any more.
    package func replace(_ version: Version, text: String) async throws -> Version {
        let note = Note(id: version.note.id, text: text)
        return try await translatingErrors {
            try await client.response(for: api.replace(version, with: note)).version(of: note)
        }
    }

    /// Adds a note.
    ///
    /// - Parameter key: Says that two attempts are one, so that a lost answer does not mean a second note.
    package func add(_ text: String, key: String) async throws -> Note {
        try await translatingErrors { try await client.send(api.add(text, key: key)) }
    }

    private func translatingErrors<Result>(_ operation: () async throws -> Result) async throws -> Result {
        do {
            return try await operation()
        } catch let error as NotesError {
            throw error
        } catch {
            throw try NotesError(error)
        }
    }
}

extension Response {
    fileprivate func version(of note: Note) -> Version {
        Version(note: note, tag: head.header[.eTag].flatMap { EntityTag($0) })
    }
}
