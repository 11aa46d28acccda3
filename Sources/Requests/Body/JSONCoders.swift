/// The JSON encoder and decoder of an API.
///
/// ```swift
/// struct Shop: RequestProviding {
///     let baseURL = URL("https://shop.example.com")
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
    ///   - encoder: The encoder, which must not be changed afterwards. Default: `nil`, for an encoder that sorts
    ///     members by name and doesn't escape `/`. The order of a plain `JSONEncoder` differs in each process, so equal
    ///     requests would have different bodies.
    ///   - decoder: The decoder, which must not be changed afterwards. Default: a plain `JSONDecoder`.
    public init(encoder: JSONEncoder? = nil, decoder: JSONDecoder = JSONDecoder()) {
        self.encoder = encoder ?? JSONCoders.makeEncoder()
        self.decoder = decoder
    }

    private static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// The default coders.
    public static let standard = JSONCoders()
}
