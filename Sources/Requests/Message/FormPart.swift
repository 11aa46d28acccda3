import Foundation

/// What is between two separators of a multipart body.
struct FormPart {
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

    /// Whether the name says that the content is a credential.
    var isSecret: Bool {
        guard let start = head.firstRange(of: Data("; name=\"".utf8))?.upperBound else { return false }
        let name = head[start...].prefix { $0 != UInt8(ascii: "\"") }
        return Redaction.isSensitive(queryName: String(decoding: name, as: UTF8.self))
    }
}
