import Foundation

/// The bytes between two delimiters of a multipart body.
package struct FormPart {
    /// The header, including the empty line that ends it. Empty if there is no such line.
    package let head: Data
    package let content: Data

    static func separator(_ boundary: String) -> Data { Data("--\(boundary)".utf8) }

    /// Splits a body into parts. The bytes before the first delimiter and after the last one are parts, too.
    package static func parts(of data: Data, _ boundary: String) -> [FormPart] {
        data.split(separator: separator(boundary), omittingEmptySubsequences: false).map { part in
            let start = part.firstRange(of: Data("\r\n\r\n".utf8))?.upperBound ?? part.startIndex
            return FormPart(head: part[..<start], content: part[start...])
        }
    }

    /// Returns a body with the contents of secret parts replaced by a placeholder.
    ///
    /// Works on bytes because other parts may not be text.
    ///
    /// - Parameter isSecret: Returns whether the content of the field with a name is secret.
    package static func redacted(_ data: Data, _ boundary: String, where isSecret: (String) -> Bool) -> Data {
        let parts = parts(of: data, boundary).map { part in
            let hides = part.name.map(isSecret) ?? false
            return part.head + (hides ? Data("\(Redaction.placeholder)\r\n".utf8) : part.content)
        }
        return Data(parts.joined(separator: separator(boundary)))
    }

    /// Whether the content is a credential, by the field's name.
    package var isSecret: Bool { name.map { Redaction.isSensitive(queryName: $0) } ?? false }

    /// The name of the form's field. `nil` if the header contains none.
    private var name: String? {
        guard let start = head.firstRange(of: Data("; name=\"".utf8))?.upperBound else { return nil }
        return String(decoding: head[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
