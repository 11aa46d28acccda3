import Requests

extension PreparedRequest {
    /// The differences between two requests, line by line.
    ///
    /// The description looks like the output of `diff`:
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
            /// A line that only the other request has.
            case removed(String)
            /// A line that only this request has.
            case added(String)
        }

        /// The changes, in the order of a message: method, URL, header, options, body. Credentials are shown as
        /// `REDACTED`.
        public let changes: [Change]

        /// Whether there are no changes.
        ///
        /// Whitespace and the order of members in JSON are ignored, as is the boundary of a multipart body.
        public var isEmpty: Bool { changes.isEmpty }
    }

    /// Returns the differences from another request.
    ///
    /// Compares the method, URL, query items, header fields, options and body. JSON is compared by path, other text by
    /// line, content that can't be read by its bytes, which are shown as their number, and a body that isn't in memory
    /// by its description, without reading it. The observer and multipart boundaries are ignored.
    ///
    /// - Parameter other: The expected or earlier request.
    public func difference(from other: PreparedRequest) -> Difference {
        Difference(from: other.lines, to: lines)
    }
}

extension PreparedRequest.Difference: CustomStringConvertible {
    /// One line for each change. Empty if there are no changes.
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
