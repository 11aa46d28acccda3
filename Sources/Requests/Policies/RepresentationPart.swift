/// Which part of a representation is in a response.
///
/// Specification: RFC 9110 §14.4, §15.3.7, §15.5.17.
package enum RepresentationPart: Hashable, Sendable {
    /// All of it. The length is `nil` if it is known only at the end.
    case whole(length: Int64?)
    /// Some of its bytes, none if the requested range starts at its end. The length of the whole is `nil` if the server
    /// doesn't know it.
    case part(Range<Int64>, of: Int64?)
    /// The response doesn't say, or contradicts itself, its request or the known version.
    case unknown

    /// A version that is known already.
    package struct Version: Hashable, Sendable {
        /// A strong entity tag or a date.
        package let validator: String
        package let length: Int64?

        package init(validator: String, length: Int64?) {
            self.validator = validator
            self.length = length
        }
    }

    /// What a request asks for.
    package enum Target: Hashable, Sendable {
        case whole
        /// Any range. The version may be the one that is in the response.
        case range(of: Version?)
        /// The bytes of this version from a position, or any version as a whole (`If-Range`).
        case rest(from: Int64, of: Version)

        /// A target without a known version.
        package init(of request: PreparedRequest) {
            self = request.header.contains(.range) ? .range(of: nil) : .whole
        }
    }
}

extension ResponseHead {
    /// Returns which part of the representation is in the response.
    ///
    /// Some servers answer a request for a range with status 200, `Content-Range` and the range. So `Content-Range`
    /// means nothing in a 200 only if no range was requested.
    ///
    /// - Parameter isDecoded: Whether the transport decodes the body, so that its positions and length are others.
    package func part(
        of target: RepresentationPart.Target,
        to method: HTTPMethod,
        isDecoded: Bool = false
    ) -> RepresentationPart {
        let length = isDecoded ? nil : expectedBytes(to: method)
        let (known, offset): (RepresentationPart.Version?, Int64)
        switch target {
        case .whole: (known, offset) = (nil, 0)
        case .range(let version): (known, offset) = (version, 0)
        case .rest(let start, let version): (known, offset) = (version, start)
        }
        /// Whether a length of the whole is possible. A version doesn't change its length.
        func fits(_ whole: Int64) -> Bool {
            guard let known, mayBe(known.validator) else { return true }
            return known.length.map { $0 == whole } ?? (whole >= offset)
        }
        let isRanged = statusCode == 416 || status.isSuccess && header.contains("Content-Range")
        guard statusCode == 206 || target != .whole && isRanged else {
            guard status.isSuccess, let known else { return .whole(length: length) }
            if let length { return fits(length) ? .whole(length: length) : .unknown }
            return .whole(length: names(known.validator) && !isEncoded && !isDecoded ? known.length : nil)
        }
        guard let range = ContentRange(header.single("Content-Range")), range.total.map(fits) ?? true,
            mediaType?.matches("multipart/byteranges") != true
        else { return .unknown }
        // Nothing follows the end of the whole.
        let isEnd = statusCode == 416
        let end = range.bytes == nil ? range.total.map { $0..<$0 } : nil
        guard let bytes = isEnd ? end : range.bytes,
            isEnd || length == nil || length == bytes.upperBound - bytes.lowerBound
        else { return .unknown }
        if let total = range.total, !isEnd, bytes == 0..<total { return .whole(length: isDecoded ? nil : total) }
        if case .rest(_, let version) = target {
            let isOfVersion = isEnd ? mayBe(version.validator) : isPart(of: version.validator)
            guard bytes.lowerBound == offset, isOfVersion else { return .unknown }
        }
        return isDecoded && !isEnd ? .unknown : .part(bytes, of: range.total)
    }

    /// Whether the body has a content encoding. `identity` and an empty field don't count.
    var isEncoded: Bool {
        header[.contentEncoding]?.tokens.contains { !ASCII.equalsIgnoringCase(String($0), "identity") } == true
    }

    /// Whether the head names the version with a validator.
    private func names(_ validator: String) -> Bool { header.single(validator.validatorField) == validator }

    /// Whether the head doesn't name another version.
    private func mayBe(_ validator: String) -> Bool {
        !header.contains(validator.validatorField) || names(validator)
    }

    /// Whether a part is of the version. It has the entity tag of the whole, but can omit the date (RFC 9110 §15.3.7).
    private func isPart(of validator: String) -> Bool {
        mayBe(validator) && (header.contains(.eTag) || validator.validatorField == .lastModified)
    }
}

extension String {
    /// The field of a strong validator.
    fileprivate var validatorField: Field.Name { hasPrefix("\"") ? .eTag : .lastModified }
}

/// The value of `Content-Range`.
private struct ContentRange {
    /// The positions of the bytes. `nil` if the requested range is unsatisfiable.
    let bytes: Range<Int64>?
    /// The length of the whole. `nil` if the server doesn't know it.
    let total: Int64?

    init?(_ text: String?) {
        guard let text, ASCII.equalsIgnoringCase(String(text.prefix(6)), "bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1] == "*" || parts[1].digits != nil else { return nil }
        total = parts[1].digits
        if parts[0] == "*" {
            bytes = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(\.digits)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else {
            return nil
        }
        bytes = first..<(last + 1)
    }
}
