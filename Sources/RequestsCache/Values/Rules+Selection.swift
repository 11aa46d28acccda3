import Requests

/// Which stored response belongs to a request.
extension HTTPCache.Rules {
    /// Returns the stored response that fits best, and whether it has everything that the request asks for.
    ///
    /// The most recent of several wins, a whole one before one that must be completed (RFC 9111 §4).
    func selection(
        for request: PreparedRequest,
        from stored: [HTTPCache.StoredResponse]
    ) -> (index: Int, isWhole: Bool)? {
        var best: (index: Int, isWhole: Bool)?
        for (index, response) in stored.enumerated() where matches(response, request) {
            let isWhole = response.canAnswer(request)
            guard isWhole || response.canBeCompleted(for: request) else { continue }
            guard let other = best else {
                best = (index, isWhole)
                continue
            }
            let isLater =
                (response.date, response.responseTime) > (stored[other.index].date, stored[other.index].responseTime)
            if isWhole && !other.isWhole || isWhole == other.isWhole && isLater { best = (index, isWhole) }
        }
        return best
    }

    /// Whether the request has the fields that `Vary` names with the same values (RFC 9111 §4.1).
    func matches(_ response: HTTPCache.StoredResponse, _ request: PreparedRequest) -> Bool {
        response.varying.allSatisfy { field in
            isCovered(field.name, in: request.header) || field.value == varyingValue(of: field.name, in: request.header)
        }
    }

    /// Returns the fields of the request that `Vary` names. `nil` if it contains `*`, or anything but a name.
    func varyingFields(
        of head: ResponseHead,
        to request: PreparedRequest
    ) -> [HTTPCache.StoredResponse.VaryingField]? {
        let listed = head.header[values: .vary].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
        guard listed.allSatisfy({ $0 != "*" && ASCII.isToken(String($0)) }) else { return nil }
        var names: [Field.Name] = []
        var known: Set<Field.Name> = []
        for name in listed.map({ Field.Name(String($0)) }) where known.insert(name).inserted { names.append(name) }
        return names.map { name in
            HTTPCache.StoredResponse.VaryingField(name: name, value: varyingValue(of: name, in: request.header))
        }
    }

    /// The normalized value of a field, or a digest of a sensitive one.
    private func varyingValue(of name: Field.Name, in header: Header) -> String? {
        guard let value = header[name] else { return nil }
        if name == .authorization || name == .cookie || header.contains(where: { $0.name == name && $0.isSensitive }) {
            return HMAC.sha256(Array(value.utf8), key: key).hexadecimal
        }
        let isAnyCase = Field.Name.anyCase.contains(name)
        let elements = (isAnyCase ? ASCII.lowercased(value) : value)
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed()) }
        return (isAnyCase ? elements.sorted() : elements).joined(separator: ",")
    }

    /// Whether the identity of the user stands for the fields of a name.
    private func isCovered(_ name: Field.Name, in header: Header) -> Bool {
        hasIdentity && Field.Name.changing.contains(name)
            && header.allSatisfy { $0.name != name || $0.changesWithEachRequest }
    }
}

extension Field.Name {
    /// The fields of credentials that can change with each request.
    fileprivate static let changing: Set<Field.Name> = [.authorization, "Signature", "Signature-Input"]
}

extension Field {
    /// Whether the field contains a signature or a digest of its request, so that only an identity tells its user.
    var changesWithEachRequest: Bool {
        guard name == .authorization else { return Field.Name.changing.contains(name) }
        let scheme = ASCII.lowercased(value.prefix { $0 != " " })
        return scheme == "digest" || scheme.hasPrefix("aws4-")
    }
}

extension Field.Name {
    /// The fields whose elements have no order and no case (RFC 9110 §12.5).
    fileprivate static let anyCase: Set<Field.Name> = [.acceptEncoding, .acceptLanguage, "Accept-Charset"]
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

extension HTTPCache.StoredResponse {
    /// Whether the stored bytes contain what the request asks for.
    func canAnswer(_ request: PreparedRequest) -> Bool {
        if request.method == .head { return !isPartial }
        switch ByteRange.requested(by: request.header) {
        case .none: return !isPartial
        case .several: return false
        case .one(let range):
            // `If-Range` with another version asks for everything.
            guard statusCode == 200 || isPartial else { return !isPartial }
            guard satisfiesIfRange(of: request.header) else { return !isPartial }
            guard !isDecoded, let bytes = range.resolved(in: wholeLength) else { return false }
            return self.bytes.contains(bytes)
        }
    }

    /// Whether the request asks for the whole body, of which the beginning is stored (RFC 9111 §3.4).
    func canBeCompleted(for request: PreparedRequest) -> Bool {
        guard case .none = ByteRange.requested(by: request.header) else { return false }
        return isPartial && firstByte == 0 && length > 0 && strongValidator != nil && request.method == .get
            && !isDecoded && !request.hasOwnCondition
    }
}

extension PreparedRequest {
    /// Whether the caller asks for a response only if it has changed.
    var hasOwnCondition: Bool { header.contains(.ifNoneMatch) || header.contains(.ifModifiedSince) }
}

extension Range where Bound == Int64 {
    fileprivate func contains(_ other: Range<Int64>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
