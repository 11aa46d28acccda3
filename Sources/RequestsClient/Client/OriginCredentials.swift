import Requests

/// The credentials of a client, each for one origin or for the names below a domain.
struct OriginCredentials: Sendable {
    private struct Entry {
        let origin: RequestURL.Origin
        /// Whether the origin's host stands for all names below it.
        let isWildcard: Bool
        let provider: AuthenticationProvider
    }

    /// The most specific first.
    private var entries: [Entry] = []
    private var defect: RequestError?

    var providers: [AuthenticationProvider] { entries.map(\.provider) }

    mutating func set(_ provider: AuthenticationProvider, for pattern: String) {
        do throws(RequestError) {
            let (origin, isWildcard) = try OriginCredentials.parse(pattern)
            entries.removeAll { $0.origin == origin && $0.isWildcard == isWildcard }
            entries.append(Entry(origin: origin, isWildcard: isWildcard, provider: provider))
            entries.sort { first, second in
                if first.isWildcard != second.isWildcard { return second.isWildcard }
                return first.origin.host.utf8.count > second.origin.host.utf8.count
            }
        } catch {
            defect = defect ?? error
        }
    }

    /// Returns the position of the provider for a URL in ``providers``. `nil` if there is none.
    ///
    /// - Throws: `RequestError.Code.invalidOrigin` if one of the origins isn't valid, because its credentials would be
    ///   missing.
    func index(for url: RequestURL) throws(RequestError) -> Int? {
        if let defect { throw defect }
        guard !entries.isEmpty else { return nil }
        let origin = url.origin
        return entries.firstIndex { entry in
            guard entry.isWildcard else { return entry.origin == origin }
            return entry.origin.scheme == origin.scheme && entry.origin.port == origin.port
                && origin.host.utf8.count > entry.origin.host.utf8.count + 1
                && origin.host.hasSuffix(".\(entry.origin.host)")
        }
    }

    private static func parse(_ pattern: String) throws(RequestError) -> (RequestURL.Origin, isWildcard: Bool) {
        let plain = pattern.replacing("://*.", with: "://", maxReplacements: 1)
        guard let origin = RequestURL.origin(plain) else {
            throw RequestError(
                code: .invalidOrigin,
                subject: Redaction.quotedURL(pattern),
                message: "The client's credentials for \(Redaction.quotedURL(pattern)) aren't for an origin. Write "
                    + "only scheme, host and maybe port, such as https://api.example.com or https://*.example.com."
            )
        }
        return (origin, plain != pattern)
    }
}
