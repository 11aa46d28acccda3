extension Field {
    /// A server's identifier for one version of a resource.
    ///
    /// ```swift
    /// if let tag = response.head.entityTag {
    ///     request = request.setting(headerField: .ifNoneMatch(tag))
    /// }
    /// ```
    ///
    /// Specification: RFC 9110 §8.8.3.
    public struct EntityTag: Hashable, Sendable {
        /// The text between the quotes.
        public let value: String

        /// Whether two representations with this tag may differ in their bytes.
        public let isWeak: Bool

        /// Creates a tag. Building a request with it throws if the text contains a quote or a space.
        ///
        /// - Parameters:
        ///   - value: The text between the quotes.
        ///   - isWeak: Whether the tag is weak. Default: `false`.
        public init(value: String, isWeak: Bool = false) {
            self.value = value
            self.isWeak = isWeak
        }

        /// Parses a tag as it is sent, such as `"v1"` or `W/"v1"`. Returns `nil` if the text isn't a tag.
        public init?(_ text: String) {
            let isWeak = text.hasPrefix("W/")
            let quoted = text.utf8.dropFirst(isWeak ? 2 : 0)
            let quote = UInt8(ascii: "\"")
            guard quoted.count >= 2, quoted.first == quote, quoted.last == quote else { return nil }
            let value = quoted.dropFirst().dropLast()
            self.init(value: String(Substring(value)), isWeak: isWeak)
            guard isValid else { return nil }
        }

        /// Whether the text can be quoted. An entity tag has no escapes.
        var isValid: Bool { value.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F } }

        /// The tag as it is sent.
        public var rawValue: String { "\(isWeak ? "W/" : "")\"\(value)\"" }
    }
}

extension Field.EntityTag: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a tag as it is sent, such as `"v1"`, or a strong tag from the text between its quotes.
    public init(stringLiteral value: String) {
        self = Self(value) ?? Self(value: value)
    }

    /// The tag as it is sent.
    public var description: String { rawValue }
}
