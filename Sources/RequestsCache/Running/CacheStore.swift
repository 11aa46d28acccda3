import Requests
import RequestsClient

/// Where an ``HTTPCache`` keeps its responses.
///
/// Names consist of lowercase hexadecimal digits, `-` and `.`. The store may remove any entry at any time. Errors never
/// fail a request.
public protocol CacheStore: Sendable {
    /// Returns 32 random bytes for the digests in names, which stay the same as long as the entries.
    func key() async throws -> Data

    /// Returns an entry. `nil` if there is none, or if it is damaged.
    func entry(_ name: String) async throws -> HTTPCache.Entry?

    /// Returns the names of all entries that start with a prefix.
    func names(startingWith prefix: String) async throws -> [String]

    /// Begins an entry of unknown length. When it is finished, it replaces the earlier one of this name.
    func write(_ response: HTTPCache.StoredResponse, to name: String) async throws -> any CacheWriter

    /// Replaces the response of an entry and keeps its body, or removes the entry if the response is `nil`.
    func update(_ name: String, to response: HTTPCache.StoredResponse?) async throws

    /// The size of all entries in bytes.
    var size: Int64 { get async throws }
}

/// Writes one entry of a ``CacheStore``. Nothing is stored unless ``finish(_:)`` succeeds. A writer frees its room
/// when it is dropped.
public protocol CacheWriter: Sendable {
    /// Appends bytes of the body.
    ///
    /// - Throws: An error if the store has no room. The caller then drops the writer.
    func append(_ bytes: Data) async throws

    /// Stores the entry, so that readers see all of it or nothing.
    func finish(_ response: HTTPCache.StoredResponse) async throws
}

extension HTTPCache {
    /// A stored response and its body.
    public struct Entry: Sendable {
        /// The response.
        public var response: StoredResponse
        /// Returns a part of the body, which counts as a use of the entry. Positions start at 0 with the first stored
        /// byte.
        public var body: @Sendable (Range<Int64>) async throws -> ResponseBody

        /// Creates an entry.
        public init(_ response: StoredResponse, body: @escaping @Sendable (Range<Int64>) async throws -> ResponseBody) {
            (self.response, self.body) = (response, body)
        }
    }

    /// A new key for a store.
    static func randomKey() -> Data { Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }
}
