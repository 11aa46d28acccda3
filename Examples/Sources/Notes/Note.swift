import Requests

/// A note with its version on the server.
package struct Note: Codable, Equatable, Sendable {
    package var id: Int
    package var text: String
    /// The version, which the server sends in the `ETag` field and not in the body. `nil` if it sends none.
    package var version: Field.EntityTag?

    package init(id: Int, text: String, version: Field.EntityTag? = nil) {
        (self.id, self.text, self.version) = (id, text, version)
    }

    private enum CodingKeys: CodingKey { case id, text }
}
