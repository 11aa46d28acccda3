import Requests

/// A note, as the API sends and takes it.
package struct Note: Codable, Equatable, Sendable {
    package var id: Int
    package var text: String

    package init(id: Int, text: String) {
        self.id = id
        self.text = text
    }
}

/// A note and what the server calls this version of it.
package struct Version: Equatable, Sendable {
    package let note: Note
    package let tag: EntityTag?

    package init(note: Note, tag: EntityTag?) {
        self.note = note
        self.tag = tag
    }
}
