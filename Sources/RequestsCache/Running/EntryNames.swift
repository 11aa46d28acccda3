import Requests
import RequestsClient

/// The names of a store's entries: digests of the URL and of the user.
struct EntryNames: Sendable {
    let key: [UInt8]
    /// What the authentication provider calls the user. `nil` if the credentials themselves tell.
    private(set) var identity: String?
    /// The name of a request's entries, without the number of the variant.
    private(set) var name = ""

    /// Responses of one URL that differ by `Vary`.
    static let maximumVariants = 16

    /// Returns the start of the names for a URL.
    func prefix(for url: RequestURL) -> String {
        SHA2.sha256(key + Array("\(url.origin)\(url.target)".utf8)).prefix(16).hexadecimal
    }

    mutating func identify(_ request: PreparedRequest, as identity: String?) {
        self.identity = identity
        let user = user(of: request.header)
        name = prefix(for: request.url)
        if !user.isEmpty { name += "-\(HMAC.sha256(user, key: key).prefix(16).hexadecimal)" }
    }

    func variant(_ number: Int) -> String { "\(name).\(number)" }

    /// What tells users apart: the credentials, without the changing ones if the user has a name.
    func user(of header: Header) -> [UInt8] {
        var fields = header.filter { $0.isCredential && (identity == nil || !$0.changesWithEachRequest) }
        if fields.count > 1 { fields.sort { $0.name.rawValue < $1.name.rawValue } }
        var user = identity.map { Array("\($0)\n".utf8) } ?? []
        for field in fields { user += Array("\(ASCII.lowercased(field.name.rawValue)):\(field.value)\n".utf8) }
        return user
    }

    /// Reads the key of a store, or makes one.
    static func loadKey(from store: any CacheStore, _ context: CallContext) async -> [UInt8] {
        let random = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        do {
            if let key = try await storedKey(in: store) { return key }
            let now = context.date
            let head = try ResponseHead(statusCode: 200, url: try RequestURL("http://localhost/key"))
            var response = HTTPCache.StoredResponse(head, [:], now, now)
            response.length = Int64(random.count)
            let writer = try await store.write(response, to: HTTPCache.keyName)
            try await writer.append(Data(random))
            try await writer.finish(response)
            // Another process may have written its own key at the same time. The last one counts.
            return try await storedKey(in: store) ?? random
        } catch {
            context.log(.message("cache: no key is stored: \(HTTPCache.reason(of: error))"))
            return random
        }
    }

    private static func storedKey(in store: any CacheStore) async throws -> [UInt8]? {
        guard let entry = try await store.entry(HTTPCache.keyName) else { return nil }
        let key = try await entry.body(0..<entry.response.length).collect(upTo: 64)
        return key.count == 32 ? Array(key) : nil
    }
}
