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
            let name: String

            /// `gzip` (RFC 9110 §8.4.1.3).
            public static let gzip = Coding(name: "gzip")
            /// `deflate` (RFC 9110 §8.4.1.2), with zlib's header or, as some servers send it, without.
            public static let deflate = Coding(name: "deflate")
            /// `br` (RFC 7932).
            public static let brotli = Coding(name: "br")
            /// `zstd` (RFC 8878).
            public static let zstd = Coding(name: "zstd")

            /// The encodings that the libraries in this process can decode.
            public static let available = [gzip, deflate, brotli, zstd].filter { (try? $0.makeDecoder()) != nil }

            /// The name in `Accept-Encoding`.
            public var description: String { name }

            func makeDecoder() throws(TransportError) -> any ContentDecoder {
                do throws(DecodingFault) {
                    switch self {
                    case .gzip: return try Inflater(.gzip)
                    case .deflate: return try Inflater(.deflate)
                    case .brotli: return try BrotliDecoder()
                    default: return try ZstdDecoder()
                    }
                } catch {
                    if error.kind == .outOfMemory { throw .outOfMemory(creating: "a decoder of \(name)") }
                    throw .unsupported("can't decode \(name): \(error.reason)")
                }
            }
        }
    }
}

extension CurlTransport.Decompression {
    /// The maximum number of encodings of one body. More can only be an attack.
    static let maximumCodings = 5

    func validate() throws(TransportError) {
        for coding in codings where !Coding.available.contains(coding) {
            throw .unsupported("can't decode \(coding): its library isn't loaded; remove it from decompression.codings")
        }
        guard maximumRatio > 0, maximumBytes ?? 1 > 0 else {
            throw .unsupported("decompression.maximumRatio and decompression.maximumBytes must be 1 or more")
        }
    }

    /// Returns the encodings of a body in the order of decoding. Empty if the body must stay encoded.
    ///
    /// - Throws: `TransportError.Code.decoding` if the body has more than ``maximumCodings``.
    func codings(of head: ResponseHead, to request: PreparedRequest) throws(TransportError) -> [Coding] {
        // A request with its own `Accept-Encoding` gets the encoded body.
        guard !codings.isEmpty, !request.header.contains(.acceptEncoding), let field = head.header[.contentEncoding]
        else { return [] }
        let hasBody = head.expectedBytes(to: request.method) != 0
        guard hasBody, head.statusCode != 206, !(300..<400).contains(head.statusCode) else { return [] }
        var applied: [Coding] = []
        for name in field.split(separator: ",").map({ $0.trimmingFieldWhitespace().lowercased() }) {
            let coding = Coding(name: name == "x-gzip" ? "gzip" : name)
            if name.isEmpty || name == "identity" { continue }
            guard codings.contains(coding) else { return [] }
            applied.append(coding)
        }
        guard applied.count <= CurlTransport.Decompression.maximumCodings else {
            let reason = "the body has \(applied.count) content encodings; at most \(Self.maximumCodings) are decoded"
            throw TransportError(.decoding, of: request, reason, phase: .receiving)
        }
        return applied.reversed()
    }
}
