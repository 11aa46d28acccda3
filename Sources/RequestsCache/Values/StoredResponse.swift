import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPCache {
    /// A response as a cache stores it, without its body.
    ///
    /// Contains no credentials: sensitive values of the URL are redacted, sensitive fields aren't stored, and sensitive
    /// fields that `Vary` names are digests.
    public struct StoredResponse: Hashable, Sendable {
        /// The status code.
        public var statusCode: Int
        /// The header, without the fields that belong to one connection or to one user (RFC 9111 §3.1).
        public var header: Header {
            didSet { facts = Facts(header, responseTime) }
        }
        /// The URL, with sensitive values redacted.
        public var url: String
        /// The version of HTTP. `nil` if the transport doesn't report it.
        public var httpVersion: HTTPVersion?
        /// The fields of the request that `Vary` names (RFC 9111 §4.1).
        public var varying: [VaryingField]
        /// When the request was sent.
        public var requestTime: Date
        /// When the response was received.
        public var responseTime: Date
        /// The position of the stored body in the whole body. 0 unless the response is partial (RFC 9111 §3.3).
        public var firstByte: Int64 = 0
        /// The length of the stored body.
        public var length: Int64 = 0
        /// The length of the whole body, if the stored one is a part of it. `nil` if it's unknown.
        public var totalLength: Int64?
        /// Whether the transport decoded the body, so that its positions differ from the server's.
        public var isDecoded: Bool
        /// The parsed header.
        var facts: Facts

        /// The parsed fields of a header. Parsed once, because every use of the response reads them.
        struct Facts: Hashable {
            let control: CacheControl
            let date: Date?
            let lastModified: Date?

            init(_ header: Header, _ now: Date) {
                control = CacheControl(header)
                date = header[.date].flatMap { HTTPDate.parseStrictly($0, now: now) }
                lastModified = header[.lastModified].flatMap { HTTPDate.parseStrictly($0, now: now) }
            }
        }

        /// A field of the request that `Vary` names.
        public struct VaryingField: Hashable, Sendable {
            /// The field's name.
            public var name: Field.Name
            /// The field's normalized value. `nil` if the request doesn't have the field.
            public var value: String?

            /// Creates a field.
            public init(name: Field.Name, value: String?) {
                self.name = name
                self.value = value
            }
        }

        /// Whether the body is only a part of the whole body.
        public var isPartial: Bool { statusCode == 206 }

        /// Creates a stored response.
        ///
        /// - Parameters:
        ///   - head: The head, as the server sent it.
        ///   - varying: The fields of the request that `Vary` names.
        ///   - requestTime: When the request was sent.
        ///   - responseTime: When the response was received.
        ///   - isDecoded: Whether the transport decodes the body. Default: `false`.
        public init(
            _ head: ResponseHead,
            varying: [VaryingField] = [],
            requestTime: Date,
            responseTime: Date,
            isDecoded: Bool = false
        ) {
            statusCode = head.statusCode
            header = head.header.storable
            facts = Facts(header, responseTime)
            url = head.url.redactedText
            httpVersion = head.httpVersion
            self.varying = varying
            self.requestTime = requestTime
            self.responseTime = responseTime
            self.isDecoded = isDecoded
            guard isPartial, let range = ContentRange(head.header[.contentRange]), let bytes = range.bytes else {
                return
            }
            (firstByte, length, totalLength) = (bytes.lowerBound, Int64(bytes.count), range.total)
        }

        /// The positions of the stored bytes in the whole body.
        var bytes: Range<Int64> { firstByte..<(firstByte + max(0, length)) }

        /// The length of the whole body. `nil` if it's unknown.
        var wholeLength: Int64? { isPartial ? totalLength : length }

        /// The entity tag as the server wrote it.
        var entityTag: String? { header[.eTag] }

        /// The validator that identifies the body byte by byte (RFC 9110 §8.8.1). `nil` if there is none.
        var strongValidator: String? { entityTag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

        var control: CacheControl { facts.control }

        var lastModified: Date? { facts.lastModified }
    }
}

extension Header {
    /// The fields that a cache stores (RFC 9111 §3.1).
    var storable: Header {
        let listed = Set(
            self[values: "Connection"].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
                .map { Field.Name(String($0)) }
        )
        return Header(
            filter { field in
                !Header.connectionFields.contains(field.name) && !listed.contains(field.name)
                    && (!field.isSensitive || Header.harmlessFields.contains(field.name))
            }
        )
    }

    /// They are about authentication, but no credentials (RFC 7615, RFC 8053). A stored one renews no nonce.
    private static let harmlessFields: Set<Field.Name> = ["Authentication-Info", "Authentication-Control"]

    private static let connectionFields: Set<Field.Name> = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", .setCookie, "TE", .transferEncoding, "Upgrade",
    ]
}
