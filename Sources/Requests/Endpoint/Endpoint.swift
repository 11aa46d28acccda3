/// A path below an API's base URL, into which values are interpolated safely.
///
/// ```swift
/// let posts = api.get(.json(encoded: User.self), from: "/users/\(name)/posts")
/// ```
///
/// Each interpolated value becomes ONE path segment or a part of one: `/`, `?`, `#` and `%` in it are encoded, so it
/// cannot leave its place. A value that is empty, `.` or `..`, as it is or after one decoding, makes the build of the
/// request throw ``InvalidRequestURLError/Code/unsafeSegment``; an optional does not compile. ``StringInterpolation``
/// says how to opt out.
///
/// The rest of the literal is a path: what is not allowed in one is encoded, `?` and `#` included, and what is already
/// encoded stays. A `.` or `..` segment makes the build throw.
///
/// Specification: RFC 3986 §3.3.
public struct Endpoint: Hashable, Sendable {
    /// The path as written, interpolated values encoded.
    ///
    /// Where a value was unsafe a `.` segment stands in its place: used as a string, too, the path cannot be built.
    public private(set) var path: String

    /// Why this endpoint cannot be built.
    package private(set) var failure: InvalidRequestURLError?

    /// What there is beside the path: `nil` for nearly every endpoint.
    package internal(set) var supplement: Supplement?

    /// Creates an endpoint of a path that is only known at run time.
    ///
    /// The path is encoded like a literal. Values from outside belong in an interpolation instead, which keeps them
    /// inside their segment.
    public init(path: String) {
        self.path = path
    }

    /// Takes over all that belongs to another endpoint, but its path.
    @usableFromInline mutating func takeAllButPath(of other: Endpoint) {
        failure = other.failure
        supplement = other.supplement
    }
}

extension Endpoint: ExpressibleByStringInterpolation {
    /// Creates an endpoint of a literal.
    public init(stringLiteral value: String) {
        self.path = value
    }

    /// Creates an endpoint of a literal with values in it.
    public init(stringInterpolation: StringInterpolation) {
        self.path = stringInterpolation.path
        self.failure = stringInterpolation.failure
    }

    /// What `\(value)`, `\(segments: values)` and `\(raw: path)` do in an endpoint.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        // Bytes: appending to a text costs more than making one of them at the end.
        private var bytes: [UInt8] = []
        fileprivate var path: String { String(decoding: bytes, as: UTF8.self) }
        fileprivate private(set) var failure: InvalidRequestURLError?

        /// Starts a path.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        /// Appends a part of the literal.
        public mutating func appendLiteral(_ literal: String) {
            // Before, between and after the values stands a literal, if only an empty one.
            if !literal.isEmpty { appendInterpolation(raw: literal) }
        }

        /// Appends a value as one path segment, or a part of one, encoded.
        ///
        /// - Parameter value: Anything with a description. An optional has none and does not compile.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let text = value.description
            guard !text.isEmpty, !PathSegments.isDots(text) else {
                failure = failure ?? .unsafeSegment(text, after: path)
                bytes += Array("/./".utf8)
                return
            }
            PercentEncoding.append(text, keeping: PercentEncoding.unreserved, to: &bytes)
        }

        /// Appends the raw value of a value, such as an identifier with a type of its own, as one path segment, or a part of
        /// one, encoded.
        @_disfavoredOverload
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: CustomStringConvertible {
            appendInterpolation(value.rawValue)
        }

        /// Appends texts as path segments, each encoded as a value of its own, with `/` between them.
        ///
        /// ```swift
        /// let file = api.get(.data, from: "/files/\(segments: key.split(separator: "/"))")
        /// ```
        ///
        /// `split` leaves empty elements out unless it is told otherwise.
        ///
        /// - Parameter segments: None at all, and one that is empty, `.` or `..`, makes the build throw, as a value does.
        public mutating func appendInterpolation(segments: some Sequence<some StringProtocol>) {
            var isFirst = true
            for segment in segments {
                if !isFirst { bytes.append(UInt8(ascii: "/")) }
                appendInterpolation(segment)
                isFirst = false
            }
            if isFirst { appendInterpolation("") }
        }

        /// A text is one segment, or is split into several.
        @available(*, unavailable, message: "split the text: \\(segments: key.split(separator: \"/\"))")
        public mutating func appendInterpolation(segments: some StringProtocol) {}

        /// Appends a path, which may have several segments, under the rules of the literal.
        ///
        /// - Parameter raw: A path from a trusted source: it can lead anywhere below the base URL.
        public mutating func appendInterpolation(raw: String) {
            Endpoint.closingOpenEscapes(raw).withBytes { bytes.append(contentsOf: $0) }
        }
    }

    /// Encodes a `%` that starts no escape, so that the text after it cannot complete one.
    private static func closingOpenEscapes(_ text: String) -> String {
        guard text.withBytes({ $0.contains(PercentEncoding.percent) }) else { return text }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.first {
            bytes.append(byte)
            if byte == PercentEncoding.percent, !PercentEncoding.startsEscape(rest) { bytes += Array("25".utf8) }
            rest.removeFirst()
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Endpoint: CustomStringConvertible, CustomReflectable {
    /// The path as written.
    public var description: String { path }

    /// The path alone: a query of a template may hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}
