import Foundation

/// The difference between two JSON documents.
enum JSONDifference {
    /// Returns the path to the first difference, such as `user.emails.0`. `nil` if either document isn't JSON or the
    /// path is empty.
    static func path(_ left: Data, _ right: Data) -> String? {
        guard let left = try? JSONSerialization.jsonObject(with: left),
            let right = try? JSONSerialization.jsonObject(with: right)
        else { return nil }
        let keys = keys(to: left, right)
        return keys.flatMap { $0.isEmpty ? nil : $0.joined(separator: ".") }
    }

    /// Returns the keys of the path, or `nil` if the values are equal.
    private static func keys(to left: Any?, _ right: Any?) -> [String]? {
        if let left = left as? [String: Any], let right = right as? [String: Any] {
            for key in Set(left.keys).union(right.keys).sorted() {
                if let rest = keys(to: left[key], right[key]) { return [key] + rest }
            }
            return nil
        }
        if let left = left as? [Any], let right = right as? [Any] {
            for index in 0..<max(left.count, right.count) {
                let (left, right) = (left.dropFirst(index).first, right.dropFirst(index).first)
                if let rest = keys(to: left, right) { return [String(index)] + rest }
            }
            return nil
        }
        guard let left = left as? AnyHashable, let right = right as? AnyHashable else { return [] }
        return left == right ? nil : []
    }
}
