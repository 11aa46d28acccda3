/// A media type: `type/subtype` with parameters.
///
/// ```swift
/// let issues = request.adding(
///     headerField: .accept("application/vnd.github+json")
/// )
/// ```
///
/// Type, subtype and parameter names are lowercased and compared without regard to case. `==` compares parameters,
/// ``matches(_:)`` ignores them.
///
/// A media type can be created from any string literal. If it isn't valid, building a request with it throws
/// ``RequestError/Code/invalidMediaType``.
///
/// Specification: RFC 9110 §8.3.1, RFC 6838.
public struct MediaType: Sendable {
    /// Type and subtype as they are sent, in one string, because every request copies a few media types.
    let typeAndSubtype: String

    /// The parameters, in order: names in lowercase, and values without quotes.
    public package(set) var parameters: [(name: String, value: String)]

    private let hasTokens: Bool

    /// Creates a media type.
    ///
    /// - Parameters:
    ///   - type: The top-level type, a token.
    ///   - subtype: The subtype, a token.
    ///   - parameters: The parameters, whose names are tokens, and values without quotes. Default: none.
    public init(type: String, subtype: String, parameters: [(name: String, value: String)] = []) {
        self.typeAndSubtype = ASCII.lowercased("\(type)/\(subtype)")
        self.parameters = parameters.map { (ASCII.lowercased($0.name), $0.value) }
        self.hasTokens = ASCII.isToken(type) && ASCII.isToken(subtype)
    }

    /// Creates a media type that isn't valid and keeps its text.
    fileprivate init(invalid text: String) {
        self.typeAndSubtype = text
        self.parameters = []
        self.hasTokens = false
    }

    /// The top-level type, such as `text`, in lowercase.
    public var type: String { String(typeAndSubtype.prefix { $0 != "/" }) }

    /// The subtype, such as `plain`, in lowercase.
    public var subtype: String { String(typeAndSubtype.drop { $0 != "/" }.dropFirst()) }

    /// Whether type, subtype and parameter names are tokens.
    var isValid: Bool { hasTokens && parameters.allSatisfy { ASCII.isToken($0.name) } }

    /// Returns whether type and subtype are equal. Parameters are ignored.
    public func matches(_ other: MediaType) -> Bool { typeAndSubtype == other.typeAndSubtype }

    /// Whether this is the media type of URL-encoded forms.
    package var isForm: Bool { matches(.urlEncodedForm) }

    /// Whether this is JSON, by subtype or structured syntax suffix (RFC 6839 §3.1).
    package var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }

    /// The boundary of a multipart body.
    package var boundary: String? { parameters.first { $0.name == "boundary" }?.value }

    /// The media type as it is sent, such as `text/plain; charset=utf-8`. A value that isn't a token is quoted.
    public var rawValue: String {
        if parameters.isEmpty { return typeAndSubtype }
        return parameters.reduce(into: typeAndSubtype) { text, parameter in
            let value = ASCII.isToken(parameter.value) ? parameter.value : parameter.value.quotedString
            text += "; \(parameter.name)=\(value)"
        }
    }

    /// Returns the media type for text in UTF-8. Adds `charset=utf-8` to text and XML types without a `charset`.
    package func forUTF8() -> MediaType {
        guard type == "text" || subtype == "xml" else { return self }
        guard !parameters.contains(where: { $0.name == "charset" }) else { return self }
        var copy = self
        copy.parameters.append(("charset", "utf-8"))
        return copy
    }
}

extension MediaType: Hashable {
    /// Compares types, subtypes and parameters.
    public static func == (lhs: MediaType, rhs: MediaType) -> Bool {
        lhs.typeAndSubtype == rhs.typeAndSubtype && lhs.hasTokens == rhs.hasTokens
            && lhs.parameters.elementsEqual(rhs.parameters) { $0 == $1 }
    }

    /// Hashes the type, the subtype and the parameters.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(typeAndSubtype)
        for (name, value) in parameters {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension MediaType: ExpressibleByStringLiteral {
    /// Creates a media type from a literal such as `"text/csv; header=present"`.
    ///
    /// A literal that isn't a media type is kept. Building a request with it throws
    /// ``RequestError/Code/invalidMediaType``.
    public init(stringLiteral text: String) {
        self = MediaType(text, isStrict: true) ?? MediaType(invalid: text)
    }
}

extension MediaType: CustomStringConvertible {
    /// The same as ``rawValue``.
    public var description: String { rawValue }
}

extension MediaType {
    /// `application/json`. It has no `charset` (RFC 8259 §11).
    public static let json = MediaType(type: "application", subtype: "json")
    /// `application/problem+json`: an error of an API (RFC 9457).
    public static let problemJSON = MediaType(type: "application", subtype: "problem+json")
    /// `application/merge-patch+json`: the members to change or remove (RFC 7396).
    public static let mergePatchJSON = MediaType(type: "application", subtype: "merge-patch+json")
    /// `application/x-ndjson`: one JSON value per line.
    public static let ndjson = MediaType(type: "application", subtype: "x-ndjson")
    /// `application/xml`.
    public static let xml = MediaType(type: "application", subtype: "xml")
    /// `application/x-www-form-urlencoded`.
    public static let urlEncodedForm = MediaType(type: "application", subtype: "x-www-form-urlencoded")
    /// `multipart/form-data` (RFC 7578). ``BodyProvider/multipart(_:contentType:)-(Multipart,_)`` adds the boundary.
    public static let multipartFormData = MediaType(type: "multipart", subtype: "form-data")
    /// `application/octet-stream`.
    public static let binary = MediaType(type: "application", subtype: "octet-stream")
    /// ``binary``.
    @available(*, unavailable, renamed: "binary")
    public static var octetStream: MediaType { binary }
    /// `text/plain`. ``BodyProvider/text(_:contentType:)`` adds the `charset`.
    public static let plainText = MediaType(type: "text", subtype: "plain")
    /// `text/html`.
    public static let html = MediaType(type: "text", subtype: "html")
    /// `text/css`.
    public static let css = MediaType(type: "text", subtype: "css")
    /// `text/event-stream`: server-sent events (WHATWG HTML §9.2).
    public static let eventStream = MediaType(type: "text", subtype: "event-stream")
    /// `image/gif`.
    public static let gif = MediaType(type: "image", subtype: "gif")
    /// `image/png`.
    public static let png = MediaType(type: "image", subtype: "png")
    /// `image/jpeg`.
    public static let jpeg = MediaType(type: "image", subtype: "jpeg")
    /// `image/svg+xml`.
    public static let svg = MediaType(type: "image", subtype: "svg+xml")
}

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
        if let common = MediaType.common[text] {
            self = common
            return
        }
        let types = text.listElements(hasEscapes: true).filter { !$0.isEmpty }.map { MediaType($0, isStrict: false) }
        guard let first = types.first ?? nil, types.allSatisfy({ $0?.matches(first) == true }) else { return nil }
        self = first
        if !types.allSatisfy({ $0 == first }) { parameters = [] }
    }

    /// The types of most responses, which needn't be parsed.
    private static let common: [String: MediaType] = {
        let types = [.json, .html, .plainText, .eventStream, .problemJSON].flatMap { type -> [MediaType] in
            [type, MediaType(type: type.type, subtype: type.subtype, parameters: [("charset", "utf-8")])]
        }
        return Dictionary(uniqueKeysWithValues: types.map { ($0.rawValue, $0) })
    }()

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
