/// A media type: `type/subtype` and parameters.
///
/// Type, subtype and parameter names are compared without regard to case, and kept in lower case. Parameters count
/// in `==`; ``matches(_:)`` leaves them out.
///
/// Specification: RFC 9110 §8.3.1, RFC 6838.
public struct MediaType: Hashable, Sendable {
    /// A parameter: a name and a value.
    public struct Parameter: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String
        /// The value, without quotes.
        public let value: String

        /// Creates a parameter.
        public init(_ name: String, _ value: String) {
            self.name = ASCII.lowercased(name)
            self.value = value
        }
    }

    /// The top-level type, such as `text`, in lower case.
    public let type: String

    /// The subtype, such as `plain`, in lower case.
    public let subtype: String

    /// The parameters, in order.
    public var parameters: [Parameter]

    /// Type and subtype as they are sent: few media types are made, and most are sent often.
    let typeAndSubtype: String

    /// Creates a media type.
    public init(type: String, subtype: String, parameters: [Parameter] = []) {
        self.type = ASCII.lowercased(type)
        self.subtype = ASCII.lowercased(subtype)
        self.parameters = parameters
        self.typeAndSubtype = self.type + "/" + self.subtype
    }

    /// Whether type and subtype are the same, whatever the parameters.
    public func matches(_ other: MediaType) -> Bool {
        type == other.type && subtype == other.subtype
    }

    /// Whether it is that of the WHATWG's forms.
    var isForm: Bool { matches(.urlEncodedForm) }

    /// Whether it is one of JSON, by its subtype or by the suffix of it (RFC 6839 §3.1).
    var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }

    /// What separates the parts of a multipart body; `nil` where there are none.
    package var boundary: String? { parameters.first { $0.name == "boundary" }?.value }

    /// The media type as it is sent: `type/subtype; name=value`, values quoted where they are not tokens.
    public var rawValue: String {
        parameters.reduce(typeAndSubtype) { text, parameter in
            "\(text); \(parameter.name)=\(ASCII.isToken(parameter.value) ? parameter.value : parameter.value.quotedString)"
        }
    }
}

extension MediaType: CustomStringConvertible {
    /// The media type as it is sent.
    public var description: String { rawValue }
}

extension MediaType {
    /// `application/json` (RFC 8259 §11: without a charset).
    public static let json = MediaType(type: "application", subtype: "json")
    /// `application/problem+json`: what went wrong, as an API says it (RFC 9457).
    public static let problemJSON = MediaType(type: "application", subtype: "problem+json")
    /// `application/merge-patch+json`: the members to change (RFC 7396).
    public static let mergePatchJSON = MediaType(type: "application", subtype: "merge-patch+json")
    /// `application/graphql-response+json`: what a GraphQL operation gave, errors included (GraphQL over HTTP §6).
    static let graphQLResponse = MediaType(type: "application", subtype: "graphql-response+json")
    /// `application/xml; charset=utf-8`.
    public static let xml = MediaType(type: "application", subtype: "xml", parameters: [.utf8])
    /// `application/x-www-form-urlencoded`.
    public static let urlEncodedForm = MediaType(type: "application", subtype: "x-www-form-urlencoded")
    /// `application/octet-stream`.
    public static let binary = MediaType(type: "application", subtype: "octet-stream")
    /// `text/plain; charset=utf-8`.
    public static let plainText = MediaType(type: "text", subtype: "plain", parameters: [.utf8])
    /// `text/html; charset=utf-8`.
    public static let html = MediaType(type: "text", subtype: "html", parameters: [.utf8])
    /// `text/css; charset=utf-8`.
    public static let css = MediaType(type: "text", subtype: "css", parameters: [.utf8])
    /// `image/gif`.
    public static let gif = MediaType(type: "image", subtype: "gif")
    /// `image/png`.
    public static let png = MediaType(type: "image", subtype: "png")
    /// `image/jpeg`.
    public static let jpeg = MediaType(type: "image", subtype: "jpeg")
    /// `image/svg+xml`.
    public static let svg = MediaType(type: "image", subtype: "svg+xml")
}

extension MediaType.Parameter {
    /// `charset=utf-8`.
    public static let utf8 = MediaType.Parameter("charset", "utf-8")
}
