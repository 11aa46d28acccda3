/// The header of a message: a list of fields that keeps their order and repeated names.
///
/// ```swift
/// var header: Header = [.accept(.json), .acceptLanguage("en")]
/// header.add(.acceptLanguage("de"))       // Accept-Language twice
/// header.set(.acceptLanguage("fr"))       // once
/// let language = header[.acceptLanguage]  // "fr"
/// ```
///
/// Received values are UTF-8, or else Latin-1. Octets of `Set-Cookie` and `ETag` that aren't UTF-8 are private-use
/// characters, so that a request with the cookie or the tag sends the same octets.
///
/// Specification: RFC 9110 §5.3, §5.5.
public struct Header: Hashable, Sendable {
    private var fields: [Field] = []

    /// A header without fields.
    public static let empty = Header([])

    /// Creates a header without fields.
    public init() {}

    /// Creates a header from fields, keeping their order.
    public init(_ fields: [Field]) { self.fields = fields }

    /// Creates a header from fields, keeping their order.
    public init(_ fields: Field...) { self.fields = fields }

    /// Creates a header from names and values, sorted by name.
    public init(_ values: [String: String]) {
        fields = values.sorted { $0.key < $1.key }.map { Field(name: Field.Name($0.key), value: $0.value) }
    }

    /// Appends a field. Fields of the same name stay.
    public mutating func add(_ field: Field) { fields.append(field) }

    /// Replaces all fields that have the name of the given field by it, or appends it if there are none.
    public mutating func set(_ field: Field) {
        guard let index = fields.firstIndex(where: { $0.name == field.name }) else {
            // The first field is usually followed by more.
            if fields.isEmpty { fields.reserveCapacity(4) }
            fields.append(field)
            return
        }
        fields[index] = field
        removeAll(field.name, from: index + 1)
    }

    /// Removes all fields of a name.
    ///
    /// - Returns: One field with the joined value that ``subscript(_:)-(Field.Name)`` returned before. It is sensitive,
    ///   or invalid, if one of the removed fields was. `nil` if there were none.
    @discardableResult
    public mutating func remove(_ name: Field.Name) -> Field? {
        guard contains(name), let value = self[name] else { return nil }
        let field = replacement(name, value)
        removeAll(name, from: 0)
        return field
    }

    /// Returns a field that is sensitive, or invalid, if one of the fields it replaces is.
    private func replacement(_ name: Field.Name, _ value: String) -> Field {
        Field(name: name, value: value).inheriting(from: fields.lazy.filter { $0.name == name })
    }

    private mutating func removeAll(_ name: Field.Name, from start: Int) {
        guard fields[start...].contains(where: { $0.name == name }) else { return }
        fields.replaceSubrange(start..., with: fields[start...].filter { $0.name != name })
    }

    /// Returns whether there is a field of a name.
    public func contains(_ name: Field.Name) -> Bool {
        fields.contains { $0.name == name }
    }

    /// The value of a field. `nil` if there is none.
    ///
    /// The values of repeated fields are joined with `,`, and `Cookie` values with `; `. For `Set-Cookie`, the value of
    /// the first field is returned, because it can't be joined.
    ///
    /// Setting a value replaces all fields of the name. The new field is sensitive, or invalid, if one of them was,
    /// because the value may be made from theirs. Setting `nil` removes them.
    ///
    /// Specification: RFC 9110 §5.3, RFC 9113 §8.2.3.
    public subscript(_ name: Field.Name) -> String? {
        get {
            guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
            guard name != .setCookie else { return fields[first].value }
            var value = fields[first].value
            for field in fields[(first + 1)...] where field.name == name {
                value += Header.separator(of: name) + field.value
            }
            return value
        }
        set {
            if let newValue {
                set(replacement(name, newValue))
            } else {
                remove(name)
            }
        }
    }

    /// A string isn't a name.
    @available(*, unavailable, message: "pass a Field.Name: header[Field.Name(name)]")
    public subscript(_ name: String) -> String? { self[Field.Name(name)] }

    private static func separator(of name: Field.Name) -> String { name == .cookie ? "; " : "," }

    /// The values of all fields of a name, in order.
    public subscript(values name: Field.Name) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// The value of a field that occurs once in a message. `nil` if there is none, or if there are different ones.
    ///
    /// Equal repeats are one, also in a list, because servers repeat fields, and proxies and URLSession join them.
    package func single(_ name: Field.Name) -> String? {
        let values = self[values: name]
        let elements = values.flatMap { $0.listElements(hasEscapes: name != .eTag) }
        // A date has two elements.
        let size = [1, 2].first { size in
            elements.count > size && elements.count.isMultiple(of: size)
                && elements.indices.allSatisfy { elements[$0] == elements[$0 % size] }
        }
        return size.map { elements[..<$0].joined(separator: ", ") }
            ?? (values.allSatisfy { $0 == values[0] } ? values.first : nil)
    }

    /// The header as a dictionary.
    ///
    /// Repeated fields are joined as in ``subscript(_:)-(Field.Name)``, under the first spelling of their name.
    public var dictionaryValue: [String: String] {
        var dictionary = [String: String](minimumCapacity: fields.count)
        if hasFewNamesOnce {
            for field in fields { dictionary[field.name.rawValue] = field.value }
            return dictionary
        }
        var spelling: [Field.Name: String] = [:]
        for field in fields {
            guard let name = spelling[field.name] else {
                spelling[field.name] = field.name.rawValue
                dictionary[field.name.rawValue] = field.value
                continue
            }
            if field.name != .setCookie { dictionary[name]?.append(Header.separator(of: field.name) + field.value) }
        }
        return dictionary
    }

    /// Whether names are unique, in a header that is small enough to compare all pairs instead of hashing.
    private var hasFewNamesOnce: Bool {
        guard fields.count <= 16 else { return false }
        for index in fields.indices {
            for earlier in 0..<index where fields[earlier].name == fields[index].name { return false }
        }
        return true
    }

    /// Returns the header with the fields of `other`, which replace all fields of the same names.
    package func merging(_ other: consuming Header) -> Header {
        if isEmpty { return other }
        if other.isEmpty { return self }
        return Header(fields.filter { !other.contains($0.name) } + other.fields)
    }
}

extension Header: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }

    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }

    /// The field at a position.
    public subscript(position: Int) -> Field { fields[position] }

    /// Iterates over the fields, in order.
    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }
}

extension Header: ExpressibleByArrayLiteral {
    /// Creates a header from fields, keeping their order.
    public init(arrayLiteral elements: Field...) { self.fields = elements }
}

extension Header: ExpressibleByDictionaryLiteral {
    /// Creates a header from names and values, keeping their order and repeated names.
    public init(dictionaryLiteral elements: (Field.Name, String)...) {
        self.fields = elements.map { Field(name: $0, value: $1) }
    }
}

extension Header: CustomStringConvertible, CustomDebugStringConvertible {
    /// The fields as lines. Values that aren't known to be harmless are replaced by `REDACTED`.
    public var description: String { fields.map(\.description).joined(separator: "\n") }

    /// The same as ``description``, so that a debugger shows no credentials either.
    public var debugDescription: String { description }
}

extension Header {
    /// Whether every field is known to be valid with any body.
    var isKnownToBeValid: Bool { indices.allSatisfy { self[$0].isKnownToBeValid } }

    /// Throws if a field can't be sent, or if a recipient could read it as more than one field.
    ///
    /// Specification: RFC 9110 §5.1 (names are tokens), §5.5 (no control characters in values), §8.3.1 (media types).
    package func validate() throws(RequestError) {
        for field in self where !field.isKnownToBeValid {
            guard field.name.isToken else { throw .invalidFieldName(field.name.rawValue) }
            if let defect = field.defect { throw .defect(defect, of: field) }
            guard ASCII.isFieldValue(field.value) else { throw .invalidFieldValue(of: field.name) }
        }
    }
}

extension Header {
    /// The fields that a recipient needs before the body: framing, routing, credentials and what the content is.
    private static let neverTrailers: Set<Field.Name> = [
        .contentLength, .transferEncoding, .host, "Connection", "TE", "Trailer", .contentEncoding, .contentType,
        "Content-Range", .authorization, .proxyAuthorization, .cookie, .cacheControl, "Expect", .range,
    ]

    /// Throws if the fields can't be sent after a body (RFC 9110 §6.5.1).
    package func validateAsTrailers() throws(RequestError) {
        try validate()
        for field in self where Header.neverTrailers.contains(field.name) {
            throw RequestError(
                code: .invalidFieldName,
                subject: field.name.rawValue,
                message: "\(field.name) can't be a trailer, because it is needed before the body. Put it in the header."
            )
        }
    }
}

extension RequestError {
    fileprivate static func invalidFieldName(_ name: String) -> RequestError {
        RequestError(
            code: .invalidFieldName,
            subject: name,
            message: "The header name \(Redaction.quoted(name)) isn't a token. Use letters, digits and !#$%&'*+-.^_`|~."
        )
    }

    fileprivate static func invalidFieldValue(of name: Field.Name) -> RequestError {
        RequestError(
            code: .invalidFieldValue,
            subject: name.rawValue,
            message: "The value of \(name) contains a line break or another control character. Remove or encode it."
        )
    }

    fileprivate static func defect(_ defect: Field.Defect, of field: Field) -> RequestError {
        let rule: String
        switch defect {
        case .mediaType: return invalidMediaType(field.value, in: field.name)
        case .cookie: rule = "a cookie whose name isn't a token, or whose value contains a semicolon. Encode it"
        case .entityTag: rule = "an entity tag with a quote, a space or a control character. Remove it"
        case .weakEntityTag: rule = "a weak entity tag, which can't select a part of a body. Use a strong one"
        case .missingEntityTag where field.value.isEmpty:
            rule = "no entity tag, because the response has none. Check head.entityTag first"
        case .missingEntityTag:
            rule = "the response's ETag \(Redaction.quoted(field.value)), which isn't one tag in quotes. Set its text"
        case .range: rule = "a negative position. Use positions from 0"
        }
        return RequestError(
            code: .invalidFieldValue,
            subject: field.name.rawValue,
            message: "\(field.name) contains \(rule)."
        )
    }

    fileprivate static func invalidMediaType(_ text: String, in name: Field.Name) -> RequestError {
        RequestError(
            code: .invalidMediaType,
            subject: text,
            message: "\(name) contains an invalid media type: \(Redaction.quoted(text)). Write it as type/subtype."
        )
    }
}
