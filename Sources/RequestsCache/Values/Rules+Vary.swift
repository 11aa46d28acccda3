import Requests

/// Which stored response belongs to a request.
extension HTTPCache.Rules {
    /// Whether the request has the fields that `Vary` names with the same values (RFC 9111 §4.1).
    func matches(_ response: StoredResponse, _ request: PreparedRequest) -> Bool {
        response.varying.allSatisfy { name, value in
            let name = Field.Name(name)
            return value == varyingValue(of: name, in: request.header)
        }
    }

    /// Returns the fields of a request that `Vary` names. `nil` if it contains `*`, anything but a name, or a field
    /// that the transport chooses.
    func varyingFields(of response: Header, in request: Header) -> [String: String?]? {
        let names = response[values: .vary].flatMap(\.tokens).map { ASCII.lowercased($0) }
        guard names.allSatisfy({ $0 != "*" && ASCII.isToken($0) }) else { return nil }
        if names.contains("user-agent"), !request.contains(.userAgent) { return nil }
        let fields = names.map { ($0, varyingValue(of: Field.Name(token: $0), in: request)) }
        return Dictionary(fields) { first, _ in first }
    }

    /// Returns the value to compare: normalized, or as a digest if it is a secret. `nil` if the field is missing.
    private func varyingValue(of name: Field.Name, in header: Header) -> String? {
        guard let value = header[name] else { return nil }
        if header.contains(where: { $0.name == name && $0.isCredential }) {
            return HMAC.sha256(Array(value.utf8), key: key).hexadecimal
        }
        let list = value.listElements(hasEscapes: true).joined(separator: ",")
        return Field.Name.anyCase.contains(name) ? ASCII.lowercased(list) : list
    }
}

extension Field.Name {
    /// The fields whose values are compared without regard to case (RFC 9110 §12.5).
    fileprivate static let anyCase: Set<Field.Name> = [.acceptEncoding, .acceptLanguage, "Accept-Charset"]
}

extension Field {
    /// Whether the field's value depends on the user.
    var isCredential: Bool { name == .authorization || name == .cookie || isSensitive }
}
