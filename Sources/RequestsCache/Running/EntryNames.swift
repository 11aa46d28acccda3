import Requests
import RequestsClient

/// The names of a store's entries: keyed digests of the URL, of the user, and of the request's own credentials.
struct EntryNames: Sendable {
    let key: [UInt8]
    let partition: String

    /// Responses of one URL that differ by `Vary`.
    static let maximumVariants = 16

    /// Returns the start of the names for a URL, which all users share.
    func prefix(for url: RequestURL) -> String {
        let text = "\(partition.utf8.count):\(partition)\(url.origin)\(url.target)"
        return SHA2.sha256(key + Array(text.utf8)).prefix(16).hexadecimal
    }

    /// Returns the name of a request's entries, without the number of the variant.
    func name(for request: PreparedRequest, of identity: String) -> String {
        let own = credentials(of: request.header)
        return prefix(for: request.url) + (identity.isEmpty ? "" : "-\(digest(of: Array(identity.utf8)))")
            + (own.isEmpty ? "" : "--\(digest(of: own))")
    }

    /// Whether a name is one of a user's entries.
    func isName(_ name: String, of identity: String) -> Bool {
        name.dropFirst(32).hasPrefix("-\(digest(of: Array(identity.utf8)))")
    }

    /// The request's own credentials and cookies, which tell users apart, too.
    func credentials(of header: Header) -> [UInt8] {
        let fields = header.filter(\.isCredential).sorted { $0.name.rawValue < $1.name.rawValue }
        return fields.flatMap { Array("\(ASCII.lowercased($0.name.rawValue)):\($0.value)\n".utf8) }
    }

    private func digest(of bytes: [UInt8]) -> String { HMAC.sha256(bytes, key: key).prefix(16).hexadecimal }
}
