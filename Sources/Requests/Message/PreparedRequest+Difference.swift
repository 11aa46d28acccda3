import Foundation

extension PreparedRequest {
    /// What is different in two requests, line by line.
    ///
    /// Printed, it reads like the output of `diff`:
    ///
    /// ```
    /// - Accept: text/html
    /// + Accept: application/json
    /// - body.user.name: "Ada"
    /// + body.user.name: "Bob"
    /// ```
    public struct Difference: Hashable, Sendable {
        /// What only one of the requests has.
        public enum Change: Hashable, Sendable {
            /// In the request that was compared with.
            case removed(String)
            /// In the request that was asked.
            case added(String)
        }

        /// The changes, in the order of the parts of a message; values of credentials are `<redacted>`.
        public let changes: [Change]

        /// Whether there is no change. JSON that differs in white space or in the order of members counts as the same, and
        /// so do multipart bodies that differ in their boundaries.
        public var isEmpty: Bool { changes.isEmpty }
    }

    /// Tells what is different from another request.
    ///
    /// The parts are method, URL, query items, fields, options and body: JSON by path, other text by line, anything
    /// else as it describes itself. A body that can be read once stays unread. The observer is not compared, and neither
    /// is the boundary of a multipart body, which is another one in each request that is made: two of the same parts
    /// have no difference, though they are not `==`.
    ///
    /// - Parameter other: The request that was expected, or came before.
    public func difference(from other: PreparedRequest) -> Difference {
        let (old, new) = (other.lines, lines)
        let changes = new.difference(from: old)
        let removed = Set(changes.removals.map(\.offset))
        let added = Set(changes.insertions.map(\.offset))
        var merged: [Difference.Change] = []
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            if removed.contains(oldIndex) {
                merged.append(.removed(old[oldIndex].description))
                oldIndex += 1
            } else if added.contains(newIndex) {
                merged.append(.added(new[newIndex].description))
                newIndex += 1
            } else {
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
        }
        return Difference(changes: merged)
    }
}

extension PreparedRequest.Difference: CustomStringConvertible {
    /// One line for each change; empty where there is none.
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

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .remove(let offset, _, _), .insert(let offset, _, _): offset
        }
    }
}
