import Foundation

/// The segments of a path.
enum PathSegment {
    /// Returns the segments, still percent-encoded. The root has one empty segment.
    static func all(of path: Substring) -> [String] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return path.hasPrefix("/") ? Array(segments.dropFirst()) : segments
    }

    /// Returns the percent-decoded segment, or the segment itself if it doesn't decode to UTF-8.
    static func decoded(_ segment: String) -> String {
        segment.removingPercentEncoding ?? segment
    }
}
