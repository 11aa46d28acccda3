import Requests

/// A note, as the API sends and takes it, with what the server calls this version of it.
package struct Note: Codable, Equatable, Sendable {
    package var id: Int
    package var text: String
    /// In a field of the message, not in its body; `nil` where the server does not say.
    package var version: EntityTag?

    package init(id: Int, text: String, version: EntityTag? = nil) {
        (self.id, self.text, self.version) = (id, text, version)
    }

    private enum CodingKeys: CodingKey { case id, text }
}
