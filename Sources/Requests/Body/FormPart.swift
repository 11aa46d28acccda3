import Foundation

/// What is between two separators of a multipart body.
package struct FormPart {
    /// The fields, with the empty line that ends them; empty where there is none.
    let head: Data
    let content: Data

    static func separator(_ boundary: String) -> Data { Data("--\(boundary)".utf8) }

    /// Takes a body apart. What is before the first separator and after the last is a part, too.
    static func parts(of data: Data, _ boundary: String) -> [FormPart] {
        data.split(separator: separator(boundary), omittingEmptySubsequences: false).map { part in
            let start = part.firstRange(of: Data("\r\n\r\n".utf8))?.upperBound ?? part.startIndex
            return FormPart(head: part[..<start], content: part[start...])
        }
    }

    /// A body with a placeholder for the content of the parts whose names are secret.
    ///
    /// By bytes: beside a credential there may be a part that is no text.
    package static func redacted(_ data: Data, _ boundary: String, where isSecret: (String) -> Bool) -> Data {
        let parts = parts(of: data, boundary).map { part in
            let hides = part.name.map(isSecret) ?? false
            return part.head + (hides ? Data("\(Redaction.placeholder)\r\n".utf8) : part.content)
        }
        return Data(parts.joined(separator: separator(boundary)))
    }

    /// Whether the name says that the content is a credential.
    var isSecret: Bool { name.map { Redaction.isSensitive(queryName: $0) } ?? false }

    /// The name of the form's field; `nil` where there is none.
    private var name: String? {
        guard let start = head.firstRange(of: Data("; name=\"".utf8))?.upperBound else { return nil }
        return String(decoding: head[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
