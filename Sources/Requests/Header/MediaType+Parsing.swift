extension MediaType {
    /// Reads a media type as servers send it, such as the value of `Content-Type`.
    ///
    /// Returns `nil` if the text isn't a media type, or lists different ones. A malformed parameter is skipped. If a
    /// type is repeated with other parameters, it has none.
    ///
    /// With a literal, Swift calls ``init(stringLiteral:)``, which doesn't return `nil` and accepts no mistakes.
    ///
    /// Specification: RFC 9110 §8.3.1, §5.6.6.
    public init?(_ text: String) {
        let types = text.listElements(hasEscapes: true).filter { !$0.isEmpty }.map { MediaType($0, isStrict: false) }
        guard let first = types.first ?? nil, types.allSatisfy({ $0?.matches(first) == true }) else { return nil }
        self = first
        if !types.allSatisfy({ $0 == first }) { parameters = [] }
    }

    /// - Parameter isStrict: Whether mistakes return `nil`, as in a literal, which is sent.
    init?(_ text: String, isStrict: Bool) {
        var rest = text.utf8[...]
        let all = rest.takeParameters()
        // Some servers forget the `;` before a parameter.
        let type = Substring(all[0].name.utf8.prefix { !$0.isFieldWhitespace })
        let names = type.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        let isWhole = type.endIndex == all[0].name.endIndex
        guard names.count == 2, names.allSatisfy({ ASCII.isToken(String($0)) }),
            isWhole ? all[0].value == nil : !isStrict,
            !isStrict || all.dropFirst().allSatisfy({ $0.isValid && ($0.value != nil || $0.name.isEmpty) })
        else { return nil }
        self.init(
            type: String(names[0]),
            subtype: String(names[1]),
            parameters: all.dropFirst().compactMap { parameter in parameter.usableValue.map { (parameter.name, $0) } }
        )
    }
}
