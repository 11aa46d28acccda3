import Requests

/// A note, with the version that the server has given it.
package struct Note: Codable, Equatable, Sendable {
    package var id: Int
    package var text: String
    /// The version, which is in the `ETag` field, not in the body. `nil` if the server sends none.
    package var version: Field.EntityTag?

    package init(id: Int, text: String, version: Field.EntityTag? = nil) {
        (self.id, self.text, self.version) = (id, text, version)
    }

    private enum CodingKeys: CodingKey { case id, text }
}
