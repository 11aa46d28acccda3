import Foundation

/// The parts of a path between its slashes.
enum PathSegment {
    /// The segments as they are written; one empty one for the root.
    static func all(of path: Substring) -> [String] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return path.hasPrefix("/") ? Array(segments.dropFirst()) : segments
    }

    /// The segment with its escapes undone; as it is, where they are not UTF-8.
    static func decoded(_ segment: String) -> String {
        segment.removingPercentEncoding ?? segment
    }
}
