import Foundation
import Requests
import RequestsClient

extension CurlTransport {
    /// Which content codings servers are offered, and how far their bodies may grow.
    ///
    /// A request without `Accept-Encoding` and `Range` offers them. A body that comes in them is decoded while it is
    /// read, no further than it is read; `Content-Encoding` and `Content-Length`, which are not those of the decoded
    /// body, are then removed from the response's header. A body in a coding that is not among them arrives as it is, and
    /// says so in its header; so does every body that answers a request with its own `Accept-Encoding`.
    ///
    /// Specification: RFC 9110 §8.4.
    public struct Decompression: Sendable {
        /// The codings, the preferred first; by default all that the libraries of this process can undo. None at all
        /// leaves bodies as they are.
        public var codings = Coding.available

        /// How many times as large as what was received a body of more than 1 MiB may get; 250 by default.
        public var maximumRatio = 250

        /// How large a decoded body may get, in bytes; `nil`, the default, for no limit of its own.
        public var maximumBytes: Int64?

        /// Creates the default decompression.
        public init() {}

        /// No coding is offered, and none undone.
        public static var none: Decompression {
            var none = Decompression()
            none.codings = []
            return none
        }

        /// A content coding.
        public struct Coding: Hashable, Sendable, CustomStringConvertible {
            let name: String

            /// `gzip` (RFC 9110 §8.4.1.3).
            public static let gzip = Coding(name: "gzip")
            /// `deflate` (RFC 9110 §8.4.1.2), with the wrapper of zlib or, as some servers have it, without.
            public static let deflate = Coding(name: "deflate")
            /// `br` (RFC 7932).
            public static let brotli = Coding(name: "br")
            /// `zstd` (RFC 8878).
            public static let zstd = Coding(name: "zstd")

            /// The codings that the libraries of this process can undo.
            public static let available = [gzip, deflate, brotli, zstd].filter { (try? $0.makeDecoder()) != nil }

            /// The name in `Accept-Encoding`.
            public var description: String { name }

            func makeDecoder() throws(TransportError) -> any ContentDecoder {
                switch self {
                case .gzip: try Inflater(.gzip)
                case .deflate: try Inflater(.deflate)
                case .brotli: try BrotliDecoder()
                default: try ZstdDecoder()
                }
            }
        }
    }
}

extension CurlTransport.Decompression {
    /// More than these are nobody's but an attacker's.
    static let maximumCodings = 5

    func validate() throws(TransportError) {
        for coding in codings where !Coding.available.contains(coding) {
            throw .unsupported("the library that undoes \(coding) is not in this process")
        }
        guard maximumRatio > 0, maximumBytes ?? 1 > 0 else {
            throw .unsupported("a decoded body may be 0 bytes large; set limits of 1 or more")
        }
    }

    /// The codings of a body in the order of their undoing; none when one of them is not to be undone.
    ///
    /// - Throws: `TransportError.Code.decoding` for too many of them.
    func codings(of head: ResponseHead, to request: PreparedRequest) throws(TransportError) -> [Coding] {
        // A request with its own `Accept-Encoding` wants the body as it comes.
        guard !codings.isEmpty, !request.header.contains(.acceptEncoding), let field = head.header[.contentEncoding]
        else { return [] }
        let hasBody = head.expectedBytes(to: request.method) != 0
        guard hasBody, head.statusCode != 206, !(300..<400).contains(head.statusCode) else { return [] }
        var applied: [Coding] = []
        for name in field.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces).lowercased() }) {
            let coding = Coding(name: name == "x-gzip" ? "gzip" : name)
            if name.isEmpty || name == "identity" { continue }
            guard codings.contains(coding) else { return [] }
            applied.append(coding)
        }
        guard applied.count <= CurlTransport.Decompression.maximumCodings else {
            let reason = "the body has \(applied.count) content codings"
            throw TransportError(.decoding, of: request, reason, phase: .receiving)
        }
        return applied.reversed()
    }
}
