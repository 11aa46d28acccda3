import Requests

/// Which stored response belongs to a request.
extension HTTPCache.Rules {
    /// Whether the request has the fields that `Vary` names with the same values (RFC 9111 §4.1).
    func matches(_ response: StoredResponse, _ request: PreparedRequest) -> Bool {
        response.varying.allSatisfy { name, value in
            let name = Field.Name(name)
            return isCovered(name, in: request.header) || value == varyingValue(of: name, in: request.header)
        }
    }

    /// Returns the fields of a request that `Vary` names. `nil` if it contains `*`, or anything but a name.
    func varyingFields(of response: Header, in request: Header) -> [String: String?]? {
        let names = response[values: .vary].flatMap(\.tokens).map { ASCII.lowercased($0) }
        guard names.allSatisfy({ $0 != "*" && ASCII.isToken($0) }) else { return nil }
        let fields = names.map { ($0, varyingValue(of: Field.Name(token: $0), in: request)) }
        return Dictionary(fields) { first, _ in first }
    }

    /// The normalized value of a field, or a digest of a sensitive one.
    private func varyingValue(of name: Field.Name, in header: Header) -> String? {
        guard let value = header[name] else { return nil }
        if header.contains(where: { $0.name == name && $0.isCredential }) {
            return HMAC.sha256(Array(value.utf8), key: key).hexadecimal
        }
        let isAnyCase = Field.Name.anyCase.contains(name)
        let elements = (isAnyCase ? ASCII.lowercased(value) : value)
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingFieldWhitespace() }
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

    /// The fields whose elements have no order and no case (RFC 9110 §12.5).
    fileprivate static let anyCase: Set<Field.Name> = [.acceptEncoding, .acceptLanguage, "Accept-Charset"]
}

extension Field {
    /// Whether the field tells users apart.
    var isCredential: Bool { name == .authorization || name == .cookie || isSensitive }

    /// Whether the field contains a signature or a digest of its request, so that only an identity tells its user.
    var changesWithEachRequest: Bool {
        guard name == .authorization else { return Field.Name.changing.contains(name) }
        let scheme = ASCII.lowercased(value.prefix { $0 != " " })
        return scheme == "digest" || scheme.hasPrefix("aws4-")
    }
}
