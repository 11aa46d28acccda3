#if canImport(CRequestsCurl)
import Requests
import RequestsClient
import RequestsCompression

extension CurlTransport {
    /// The content encodings to accept and decode, and the limits for decoded bodies.
    ///
    /// Requests without `Accept-Encoding` and `Range` ask for these encodings. A body is decoded as it is read, and
    /// `Content-Encoding` and `Content-Length` are removed from the header because they describe the encoded body. A
    /// body in another encoding isn't decoded, nor is any body if the request sets its own `Accept-Encoding`. A body of
    /// more than 1 MiB fails if it has over 64 encoded bytes for each decoded byte, such as endless empty gzip members.
    ///
    /// Specification: RFC 9110 §8.4.
    public struct Decompression: Sendable {
        /// The encodings, in order of preference. An empty array turns decoding off. Default: ``Coding/available``.
        public var codings = Coding.available

        /// The maximum number of decoded bytes for each received byte, for bodies above 1 MiB. Default: 250.
        public var maximumRatio = 250

        /// The maximum size of a decoded body, in bytes. Default: `nil`, no limit.
        public var maximumBytes: Int64?

        /// Creates the default settings.
        public init() {}

        /// Accepts and decodes no encodings.
        public static var none: Decompression {
            var none = Decompression()
            none.codings = []
            return none
        }

        /// A content encoding.
        public struct Coding: Hashable, Sendable, CustomStringConvertible {
            let base: ContentEncoding

            /// `gzip` (RFC 9110 §8.4.1.3).
            public static let gzip = Coding(base: ContentEncoding("gzip"))
            /// `deflate` (RFC 9110 §8.4.1.2), with zlib's header or, as some servers send it, without.
            public static let deflate = Coding(base: ContentEncoding("deflate"))
            /// `br` (RFC 7932).
            public static let brotli = Coding(base: ContentEncoding("br"))
            /// `zstd` (RFC 8878).
            public static let zstd = Coding(base: ContentEncoding("zstd"))

            /// The encodings that the libraries in this process can decode.
            public static let available = ContentEncoding.available.map { Coding(base: $0) }

            /// The name in `Accept-Encoding`.
            public var description: String { base.name }
        }
    }
}

extension CurlTransport.Decompression {
    func validate() throws(TransportError) {
        for coding in codings where !Coding.available.contains(coding) {
            throw .unsupported("can't decode \(coding): its library isn't loaded; remove it from decompression.codings")
        }
        guard maximumRatio > 0, maximumBytes ?? 1 > 0 else {
            throw .unsupported("decompression.maximumRatio and decompression.maximumBytes must be 1 or more")
        }
    }
}
#endif
