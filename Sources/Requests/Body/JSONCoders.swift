import Foundation

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
    ///   - encoder: A `JSONEncoder`, which must not be changed afterwards. `nil`, the default, stands for one that writes
    ///     members in the order of their names and `/` as it is: a plain one has another order in each process, so that
    ///     the same request would be other bytes each time.
    ///   - decoder: A `JSONDecoder`, a plain one by default. It must not be changed afterwards.
    public init(encoder: JSONEncoder? = nil, decoder: JSONDecoder = JSONDecoder()) {
        self.encoder = encoder ?? JSONCoders.makeEncoder()
        self.decoder = decoder
    }

    private static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// The default coders, shared.
    public static let standard = JSONCoders()
}
