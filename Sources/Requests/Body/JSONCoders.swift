import Foundation

/// The JSON encoder and decoder of an API, used by the `json:` verbs.
///
/// ```swift
/// struct GitHub: RequestProviding {
///     let baseURL = URL("https://api.github.com")
///     let coders: JSONCoders = {
///         let decoder = JSONDecoder()
///         decoder.keyDecodingStrategy = .convertFromSnakeCase
///         return JSONCoders(decoder: decoder)
///     }()
/// }
/// ```
public struct JSONCoders: Sendable {
    /// Encodes bodies.
    public let encoder: JSONEncoder

    /// Decodes responses.
    public let decoder: JSONDecoder

    /// Creates a pair of coders.
    ///
    /// - Parameters:
    ///   - encoder: A `JSONEncoder`, a plain one by default. It must not be changed afterwards.
    ///   - decoder: A `JSONDecoder`, a plain one by default. It must not be changed afterwards.
    public init(encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()) {
        self.encoder = encoder
        self.decoder = decoder
    }

    /// Plain coders, shared.
    public static let standard = JSONCoders()
}
