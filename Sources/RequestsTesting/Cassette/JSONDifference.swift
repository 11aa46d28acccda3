import Requests

/// A search for the first difference between two JSON documents.
enum JSONDifference {
    /// Returns the path to the first difference, such as `user.emails.0`. `nil` if either document isn't JSON or the
    /// path is empty.
    static func path(_ left: Data, _ right: Data) -> String? {
        guard let left = JSONValue(parsing: left), let right = JSONValue(parsing: right) else { return nil }
        let keys = keys(to: left, right)
        return keys.flatMap { $0.isEmpty ? nil : $0.joined(separator: ".") }
    }

    /// Returns the keys of the path, or `nil` if the values are equal.
    private static func keys(to left: JSONValue?, _ right: JSONValue?) -> [String]? {
        switch (left, right) {
        case (.object(let left), .object(let right)):
            for key in Set(left.values.keys).union(right.values.keys).sorted() {
                if let rest = keys(to: left[key], right[key]) { return [key] + rest }
            }
            return nil
        case (.array(let left), .array(let right)):
            for index in 0..<max(left.count, right.count) {
                let (left, right) = (left.dropFirst(index).first, right.dropFirst(index).first)
                if let rest = keys(to: left, right) { return [String(index)] + rest }
            }
            return nil
        default: return left == right ? nil : []
        }
    }
}
