import Requests

extension RequestError.Code {
    /// A header has more fields than `HTTPFields` can hold.
    public static let tooManyFields = Self(rawValue: "tooManyFields")
    /// The path of an `HTTPRequest` is missing, doesn't start with a slash, or contains a fragment.
    public static let invalidPath = Self(rawValue: "invalidPath")
    /// An `HTTPRequest` has an authority and a different `Host` field, or it opens a tunnel.
    public static let unsupportedRequest = Self(rawValue: "unsupportedRequest")
}

extension RequestError {
    static func tooManyFields(_ count: Int) -> RequestError {
        RequestError(
            code: .tooManyFields,
            subject: "header",
            message: "The header has \(count) fields, but HTTPFields can hold only 65,534. Remove some."
        )
    }

    /// - Parameter name: The invalid name, which may contain control characters.
    static func invalidName(_ name: String) -> RequestError {
        RequestError(
            code: .invalidFieldName,
            subject: name,
            message: "The header name \(name.debugDescription) isn't a token. Use letters, digits and !#$%&'*+-.^_`|~."
        )
    }

    static func invalidValue(of name: String) -> RequestError {
        RequestError(
            code: .invalidFieldValue,
            subject: name,
            message: "The value of \(name) contains a line break or another control character. Remove or encode it."
        )
    }

    static func notUTF8(_ name: String) -> RequestError {
        RequestError(
            code: .invalidFieldValue,
            subject: name,
            message: "The value of \(name) isn't UTF-8, so it can't be sent unchanged. Encode it as text."
        )
    }

    static func invalidPath(_ reason: String) -> RequestError {
        RequestError(
            code: .invalidPath,
            subject: "path",
            message: "The path of the HTTPRequest \(reason). Use a path that starts with a slash, and a query."
        )
    }

    static func unsupportedRequest(_ subject: String, _ message: String) -> RequestError {
        RequestError(code: .unsupportedRequest, subject: subject, message: message)
    }
}
