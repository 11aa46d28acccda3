/// What a server calls one version of a resource.
///
/// ```swift
/// if let tag = response.head.header[.eTag].flatMap({ EntityTag($0) }) {
///     request = request.setting(headerField: .ifNoneMatch(tag))
/// }
/// ```
///
/// Specification: RFC 9110 §8.8.3.
public struct EntityTag: Hashable, Sendable {
    /// The text between the quotes.
    public let value: String

    /// Whether two versions of that tag may differ in bytes.
    public let isWeak: Bool

    /// Creates a tag.
    public init(value: String, isWeak: Bool = false) {
        self.value = value
        self.isWeak = isWeak
    }

    /// Reads a tag as it is sent, such as `"v1"` or `W/"v1"`; `nil` for text that is none.
    public init?(_ text: String) {
        let isWeak = text.hasPrefix("W/")
        let quoted = text.utf8.dropFirst(isWeak ? 2 : 0)
        let quote = UInt8(ascii: "\"")
        guard quoted.count >= 2, quoted.first == quote, quoted.last == quote else { return nil }
        let value = quoted.dropFirst().dropLast()
        guard value.allSatisfy({ $0 > 0x20 && $0 != quote && $0 != 0x7F }) else { return nil }
        self.init(value: String(Substring(value)), isWeak: isWeak)
    }

    /// The tag as it is sent.
    public var rawValue: String { "\(isWeak ? "W/" : "")\"\(value)\"" }
}

extension EntityTag: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a tag that is not weak of the text between its quotes.
    public init(stringLiteral value: String) {
        self.init(value: value)
    }

    /// The tag as it is sent.
    public var description: String { rawValue }
}
