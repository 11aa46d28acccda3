import Requests

extension HTTPCache {
    /// A response as a cache stores it, without its body.
    ///
    /// Contains no credentials: sensitive values of the URL are redacted, sensitive fields aren't stored, and sensitive
    /// fields that `Vary` names are digests.
    public struct StoredResponse: Codable, Hashable, Sendable {
        /// The status code.
        public internal(set) var statusCode: Int
        /// The URL, with sensitive values redacted.
        public let url: String
        /// When the response was received.
        public internal(set) var responseTime: Date
        var requestTime: Date
        /// The length of the stored body.
        public internal(set) var length: Int64 = 0
        /// When the server created the response, or else when it was received.
        var date: Date
        /// The request's normalized values of the fields that `Vary` names, `nil` for fields that it doesn't have.
        var varying: [String: String?]
        /// The position of the stored body in the whole body. 0 unless the response is partial (RFC 9111 §3.3).
        var firstByte: Int64 = 0
        /// The length of the whole body, if the stored one is a part of it. `nil` if it's unknown.
        var totalLength: Int64?
        /// The `Range` that the server answered with this part.
        var range: String?
        /// Whether the transport decoded the body, so that its positions differ from the server's.
        let isDecoded: Bool
        private var fields: StoredHeader
        /// The fields after the body.
        var trailers = StoredHeader([])

        /// - Parameters:
        ///   - head: The head, as the server sent it.
        ///   - part: The part of the representation in the response.
        package init(
            _ head: ResponseHead,
            _ varying: [String: String?],
            _ requestTime: Date,
            _ responseTime: Date,
            isDecoded: Bool = false,
            part: RepresentationPart = .whole(length: nil)
        ) {
            statusCode = head.statusCode
            url = head.url.redactedText
            (self.varying, self.isDecoded) = (varying, isDecoded)
            (self.requestTime, self.responseTime) = (requestTime, responseTime)
            var header = head.header.storable
            // Together with chunks, a length is wrong (RFC 9112 §6.3).
            if head.header.contains(.transferEncoding) { header = header.removing([.contentLength]) }
            date = header.single(.date).flatMap { HTTPDate.parseStrictly($0, now: responseTime) } ?? responseTime
            // A response without a date was created when it was received (RFC 9110 §6.6.1).
            if !header.contains(.date) { header.add(Field(name: .date, value: HTTPDate.text(of: responseTime))) }
            fields = StoredHeader(header)
            switch part {
            case .whole(let whole) where isPartial:
                (statusCode, length) = (200, whole ?? 0)
                self.header = header.removing([.contentRange])
            case .part(let bytes, let total):
                (firstByte, length, totalLength) = (bytes.lowerBound, bytes.upperBound - bytes.lowerBound, total)
            case .whole, .unknown: break
            }
        }

        /// The header, without the fields that belong to one connection (RFC 9111 §3.1).
        public internal(set) var header: Header {
            get { fields.header }
            set { fields = StoredHeader(newValue) }
        }

        /// Whether the body is only a part of the whole body.
        public var isPartial: Bool { statusCode == 206 }

        var control: CacheControl { fields.control }

        /// The positions of the stored bytes in the whole body.
        var bytes: Range<Int64> {
            let first = max(0, min(firstByte, .max / 2))
            return first..<(first + max(0, min(length, .max / 2)))
        }

        /// The length of the whole body. `nil` if it's unknown.
        var wholeLength: Int64? { isPartial ? totalLength : length }

        /// The entity tag as the server wrote it.
        var entityTag: String? { header.single(.eTag).flatMap { $0.isEmpty ? nil : $0 } }

        /// The modification date as the server wrote it.
        var modified: String? { header.single(.lastModified) }

        var lastModified: Date? { modified.flatMap { HTTPDate.parseStrictly($0, now: responseTime) } }

        /// The validator that identifies the body byte by byte (RFC 9110 §8.8.1). `nil` if there is none.
        var strongValidator: String? {
            if header.contains(.eTag) { return entityTag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }
            return strongDate
        }

        /// `Last-Modified`, if it is old enough to identify the body even if clocks differ (RFC 9110 §8.8.2.2).
        var strongDate: String? {
            lastModified.flatMap { date.timeIntervalSince($0) >= 60 ? modified : nil }
        }
    }

    /// A header, encoded as a list of names and values.
    ///
    /// Its directives are parsed once, because every use of the response reads them.
    struct StoredHeader: Codable, Hashable {
        let header: Header
        let control: CacheControl

        init(_ header: Header) {
            self.header = header
            control = CacheControl(header)
        }

        init(from decoder: any Decoder) throws {
            let texts = try decoder.singleValueContainer().decode([String].self)
            let fields = stride(from: 1, to: texts.count, by: 2).map { ($0, Field.Name(texts[$0 - 1])) }
            self.init(Header(fields.map { Field(name: $1, value: texts[$0]) }))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(header.flatMap { [$0.name.rawValue, $0.value] })
        }
    }
}

extension Header {
    /// The fields that a cache stores (RFC 9111 §3.1).
    var storable: Header {
        let listed = Set(self[values: "Connection"].flatMap(\.tokens).map { Field.Name(String($0)) })
        return Header(
            filter { field in
                !Header.connectionFields.contains(field.name) && !listed.contains(field.name)
                    && !Header.mayBeCredential(field)
            }
        )
    }

    /// The name of a field that may be a credential, so that a response with it isn't stored.
    var credential: Field.Name? {
        first { !Header.connectionFields.contains($0.name) && Header.mayBeCredential($0) }?.name
    }

    private static func mayBeCredential(_ field: Field) -> Bool {
        field.isSensitive && !harmlessFields.contains(field.name)
    }

    func removing(_ names: Set<Field.Name>) -> Header { Header(filter { !names.contains($0.name) }) }

    /// They are about authentication, but no credentials (RFC 7615, RFC 8053, RFC 9421). A stored one renews no nonce.
    private static let harmlessFields: Set<Field.Name> = [
        "Accept-Signature", "Authentication-Info", "Authentication-Control", "Signature", "Signature-Input",
    ]

    private static let connectionFields: Set<Field.Name> = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", .setCookie, "TE", .transferEncoding, "Upgrade",
    ]
}
