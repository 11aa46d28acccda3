extension URITemplate {
    /// Returns the template with its expressions replaced by the values of their variables.
    ///
    /// - Parameter variables: The values by name. A missing name is the same as `nil`.
    /// - Throws: ``RequestError/Code/invalidTemplate`` if a prefix is applied to a list or to pairs (RFC 6570 §2.4.1).
    public func expanded(with variables: [String: Value]) throws(RequestError) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .expression(let kind, let list): text += try expansion(kind, list, variables)
            }
        }
        return text
    }

    private func expansion(
        _ kind: Operator,
        _ list: [Variable],
        _ variables: [String: Value]
    ) throws(RequestError) -> String {
        var pieces: [String] = []
        for variable in list {
            let value = variables[variable.name] ?? .undefined
            if let piece = try expansion(of: variable, value, kind) { pieces.append(piece) }
        }
        return pieces.isEmpty ? "" : kind.first + pieces.joined(separator: kind.separator)
    }

    /// Returns `nil` if the variable has no value.
    private func expansion(
        of variable: Variable,
        _ value: Value,
        _ kind: Operator
    ) throws(RequestError) -> String? {
        switch value {
        case .undefined: return nil
        case .list(let items) where items.isEmpty: return nil
        case .pairs(let pairs) where pairs.isEmpty: return nil
        case .string(let text):
            let counted = variable.prefix.map { String(String.UnicodeScalarView(text.unicodeScalars.prefix($0))) }
            return kind.named(variable.name, kind.encoded(counted ?? text))
        case .list, .pairs:
            guard variable.prefix == nil else {
                throw .invalidTemplate("\(variable.name):\(variable.prefix ?? 0)", "has a prefix, but isn't a string")
            }
        }
        if case .list(let items) = value {
            let encoded = items.map(kind.encoded)
            guard variable.isExploded else { return kind.named(variable.name, encoded.joined(separator: ",")) }
            return encoded.map { kind.named(variable.name, $0) }.joined(separator: kind.separator)
        }
        guard case .pairs(let pairs) = value else { return nil }
        let encoded = pairs.map { (name: kind.encoded($0.name), value: kind.encoded($0.value)) }
        guard variable.isExploded else {
            return kind.named(variable.name, encoded.map { "\($0.name),\($0.value)" }.joined(separator: ","))
        }
        return encoded.map { kind.isNamed ? kind.named($0.name, $0.value) : "\($0.name)=\($0.value)" }
            .joined(separator: kind.separator)
    }
}

/// The table of RFC 6570, Appendix A.
extension URITemplate.Operator {
    fileprivate var first: String {
        switch self {
        case .simple, .reserved: ""
        default: String(rawValue)
        }
    }

    fileprivate var separator: String {
        switch self {
        case .simple, .reserved, .fragment: ","
        case .query: "&"
        default: String(rawValue)
        }
    }

    fileprivate var isNamed: Bool { [.parameter, .query, .continuation].contains(self) }

    /// Returns a value, with its name if the operator writes names.
    fileprivate func named(_ name: String, _ value: String) -> String {
        guard isNamed else { return value }
        if value.isEmpty { return self == .parameter ? name : "\(name)=" }
        return "\(name)=\(value)"
    }

    fileprivate func encoded(_ text: String) -> String {
        self == .reserved || self == .fragment
            ? URITemplate.encodedWithReserved(text)
            : PercentEncoding.encoded(text, keeping: PercentEncoding.unreserved)
    }
}
