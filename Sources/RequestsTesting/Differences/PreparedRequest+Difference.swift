import Requests

extension PreparedRequest {
    /// The differences between two requests, line by line.
    ///
    /// Its description reads like the output of `diff`:
    ///
    /// ```
    /// - Accept: text/html
    /// + Accept: application/json
    /// - body.user.name: "Ada"
    /// + body.user.name: "Bob"
    /// ```
    public struct Difference: Hashable, Sendable {
        /// A line that only one of the requests has.
        public enum Change: Hashable, Sendable {
            /// A line of the other request.
            case removed(String)
            /// A line of this request.
            case added(String)
        }

        /// The changes, in the order of the parts of a message. Credentials are replaced by `<redacted>`.
        public let changes: [Change]

        /// Whether there are no changes.
        ///
        /// Whitespace and the order of members in JSON are ignored, and so is the boundary of a multipart body.
        public var isEmpty: Bool { changes.isEmpty }
    }

    /// Returns the differences from another request.
    ///
    /// It compares the method, URL, query items, header fields, options and body: JSON by path, other text by line, and
    /// any other body by its description. Bodies aren't read. The observer is ignored, and so is the boundary of a
    /// multipart body, which changes with the names of the parts.
    ///
    /// - Parameter other: The expected or earlier request.
    public func difference(from other: PreparedRequest) -> Difference {
        Difference(from: other.lines, to: lines)
    }
}

extension PreparedRequest.Difference: CustomStringConvertible {
    /// One line for each change. Empty if there is none.
    public var description: String {
        changes.map { change in
            switch change {
            case .removed(let line): "- \(line)"
            case .added(let line): "+ \(line)"
            }
        }
        .joined(separator: "\n")
    }
}
