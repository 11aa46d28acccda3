extension Endpoint {
    /// The interpolations of an endpoint: `\(value)`, `\(segments: values)` and `\(raw: path)`.
    ///
    /// A value in the path must not be empty, `.` or `..`, encoded or not. Otherwise building throws
    /// ``RequestError/Code/unsafeSegment``. In the query, a value may be anything.
    ///
    /// A value has one string: it is `LosslessStringConvertible`, `RawRepresentable` by such a value, or a `UUID`.
    /// Optionals, arrays and dates don't compile.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        // Bytes, because appending to a string costs more than creating one at the end. A mark is before and after each
        // value, so that the endpoint's template needs no other storage.
        private var bytes: [UInt8] = []
        /// Whether a mark is among the bytes.
        private var isMarked = false
        /// The length of the scheme and authority that the literal starts with.
        private var originEnd = 0
        /// The position of the `?` that starts the query.
        private var queryStart: Int?
        private(set) var failure: RequestError?

        /// Starts an endpoint.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        var target: Target {
            let bytes = bytes[originEnd...]
            let wording = isMarked ? Wording.bytes(Array(bytes)) : .literal
            guard let queryStart else { return Target(path: text(bytes), wording: wording) }
            return Target(
                path: text(bytes[..<queryStart]),
                query: text(bytes[(queryStart + 1)...]),
                wording: wording
            )
        }

        private func text(_ bytes: ArraySlice<UInt8>) -> String {
            isMarked ? Endpoint.text(of: bytes) : String(decoding: bytes, as: UTF8.self)
        }

        /// The scheme and authority that the literal starts with. `nil` if it is a path.
        var origin: String? { originEnd == 0 ? nil : String(decoding: bytes[..<originEnd], as: UTF8.self) }

        /// Whether a value would continue the authority, which must be a literal.
        private var endsInOrigin: Bool { originEnd > 0 && bytes.count == originEnd }

        /// Appends a part of the literal.
        public mutating func appendLiteral(_ literal: String) {
            guard !literal.isEmpty else { return }
            if bytes.isEmpty { originEnd = literal.originLength }
            let start = bytes.isEmpty ? originEnd : 0
            literal.withBytes { bytes in
                // Most literals are plain paths.
                guard unsafe bytes.contains(where: StringInterpolation.isSpecial) else {
                    return unsafe self.bytes.append(contentsOf: bytes)
                }
                unsafe self.bytes.append(contentsOf: bytes[..<start])
                for index in start..<bytes.count {
                    let byte = unsafe bytes[index]
                    if byte == UInt8(ascii: "#") { fail(.fragment(in: literal)) }
                    if byte == UInt8(ascii: "?"), queryStart == nil { queryStart = self.bytes.count }
                    unsafe append(trusted: byte, at: bytes[index...])
                }
            }
        }

        /// Whether the byte may need more than being copied.
        static func isSpecial(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: ":"): true
            default: false
            }
        }

        /// Appends a byte as it is, except a `%` that starts no escape, so that the text after it can't complete one.
        private mutating func append(trusted byte: UInt8, at rest: Slice<UnsafeBufferPointer<UInt8>>) {
            if byte == PercentEncoding.percent, unsafe !PercentEncoding.startsEscape(rest) {
                bytes += Array("%25".utf8)
            } else {
                bytes.append(byte)
            }
        }

        /// - Parameter isContinued: Whether the bytes before belong to the same value.
        private mutating func append(value: String, continuing isContinued: Bool = false) {
            if endsInOrigin { fail(.hostIsNotLiteral) }
            guard queryStart != nil || !value.isEmpty && !PathSegments.isDots(value) else {
                fail(.unsafeSegment(value, after: target.path))
                // The path stays invalid if it is used as a string.
                bytes += Array("/./".utf8)
                return
            }
            if !isContinued { mark() }
            PercentEncoding.append(value, keeping: PercentEncoding.unreserved, to: &bytes)
            mark()
        }

        private mutating func mark() {
            isMarked = true
            bytes.append(Endpoint.valueMark)
        }

        private mutating func fail(_ error: RequestError) { failure = failure ?? error }

        /// Appends a value, encoded.
        public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
            append(value: value.description)
        }

        /// Appends the raw value of a value, encoded, such as that of an identifier with its own type.
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: LosslessStringConvertible {
            append(value: value.rawValue.description)
        }

        /// Appends a value that has both a description and a raw value by its description, encoded.
        public mutating func appendInterpolation<Value: LosslessStringConvertible & RawRepresentable>(_ value: Value)
        where Value.RawValue: LosslessStringConvertible {
            append(value: value.description)
        }

        /// Appends a UUID.
        public mutating func appendInterpolation(_ value: UUID) { append(value: value.uuidString) }

        /// Appends strings as path segments, each encoded like an interpolated value, separated by `/`.
        ///
        /// ```swift
        /// let file = api.get(
        ///     .data,
        ///     from: "/files/\(segments: key.split(separator: "/"))"
        /// )
        /// ```
        ///
        /// - Parameter segments: Building the request throws if there are none, or if one is empty, `.` or `..`.
        public mutating func appendInterpolation(segments: some Sequence<some StringProtocol>) {
            var isFirst = true
            for segment in segments {
                // Within the marks of one value.
                if !isFirst { bytes[bytes.count - 1] = UInt8(ascii: "/") }
                append(value: String(segment), continuing: !isFirst)
                isFirst = false
            }
            if isFirst { append(value: "") }
        }

        /// A string is one segment, or has to be split into several.
        @available(*, unavailable, message: "split the string: \\(segments: key.split(separator: \"/\"))")
        public mutating func appendInterpolation(segments: some StringProtocol) {}

        /// Appends a path from a trusted source. Its slashes and escapes are kept; `?` and `#` are encoded.
        ///
        /// - Parameter raw: A path, or a part of one, that can lead anywhere below the base URL.
        public mutating func appendInterpolation(raw: String) {
            if endsInOrigin { fail(.hostIsNotLiteral) }
            mark()
            defer { mark() }
            raw.withBytes { bytes in
                for index in bytes.indices {
                    let byte = unsafe bytes[index]
                    switch byte {
                    case UInt8(ascii: "?"): self.bytes += Array("%3F".utf8)
                    case UInt8(ascii: "#"): self.bytes += Array("%23".utf8)
                    default: unsafe append(trusted: byte, at: bytes[index...])
                    }
                }
            }
        }
    }
}

extension StringProtocol {
    /// The length of the scheme, `://` and the authority that the string starts with, in bytes. 0 if it starts with
    /// something else (RFC 3986 §3.1, §3.2).
    package var originLength: Int {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), colon != startIndex else { return 0 }
        let isScheme = utf8[..<colon].allSatisfy(ByteSet(alphanumericsAnd: "+-.").contains)
        guard isScheme, utf8[colon...].starts(with: "://".utf8) else { return 0 }
        let authority = utf8[utf8.index(colon, offsetBy: 3)...].prefix { byte in
            byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
        }
        return utf8.distance(from: startIndex, to: authority.endIndex)
    }
}

extension RequestError {
    /// - Parameter reason: The rest of a sentence about the endpoint.
    private static func invalidEndpoint(_ endpoint: String, as kind: String = "", _ reason: String) -> RequestError {
        let quoted = Redaction.quotedURL(endpoint)
        return RequestError(code: .invalidEndpoint, subject: quoted, message: "\(kind)\(quoted) \(reason)")
    }

    package static func absoluteEndpoint(_ literal: String) -> RequestError {
        let reason =
            "is an absolute URL. Write Endpoint(absolute: url, origin: .same), or .any to leave the API's origin."
        return invalidEndpoint(literal, as: "The endpoint ", reason)
    }

    static func absolutePrefix(_ url: String) -> RequestError {
        let reason = "is an absolute URL. Make it the API's baseURL, and prefix endpoints with a path."
        return invalidEndpoint(url, as: "The prefix ", reason)
    }

    package static func notAnAbsoluteURL(_ path: String) -> RequestError {
        let reason = "isn't an absolute URL. Start it with https:// and a host, or write at: for a URL in a variable."
        return invalidEndpoint(path, reason)
    }

    package static var hostIsNotLiteral: RequestError {
        RequestError(
            code: .invalidEndpoint,
            subject: "host",
            message: "A value is interpolated into the host of a URL. Write the host as a literal, or use an API with "
                + "this base URL."
        )
    }

    fileprivate static func fragment(in literal: String) -> RequestError {
        RequestError(
            code: .invalidEndpoint,
            subject: "#",
            message: "A fragment, which is never sent, follows the endpoint \(Redaction.quotedURL(literal)). Write %23 "
                + "for a “#” in the path, or interpolate the value."
        )
    }

    fileprivate static func unsafeSegment(_ value: String, after path: String) -> RequestError {
        RequestError(
            code: .unsafeSegment,
            subject: value,
            message: "\(value.isEmpty ? "An empty value" : "The dot segment \(Redaction.quoted(value))") after "
                + "\(Redaction.quoted(path)) can't be a path segment. Check the value before you interpolate it."
        )
    }
}
