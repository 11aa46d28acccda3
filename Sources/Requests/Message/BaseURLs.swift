import Foundation

/// The base URLs that were parsed last: a program has few, and builds all its requests upon them.
enum BaseURLs {
    private static let limit = 16
    private static let recent = Guarded<[RequestURL]>([])

    /// Parses a URL, unless it was just parsed. Only what is written in the normal way is kept: its text is the key.
    static func parsed(_ url: URL) throws(InvalidRequestURLError) -> RequestURL {
        let text = url.absoluteString
        if let known = recent.withLock({ recent in recent.first { $0.text == text } }) { return known }
        let parsed = try RequestURL(text)
        if parsed.text == text {
            recent.withLock { recent in
                if recent.count == limit { recent.removeFirst() }
                recent.append(parsed)
            }
        }
        return parsed
    }
}
