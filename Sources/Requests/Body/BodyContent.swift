/// What the bytes of a body contain, as far as that can be read without decoding them.
package enum BodyContent {
    case parts(boundary: String)
    /// Text in UTF-8. It is structured if a media type says so; otherwise it may also be a form.
    case text(Data, isStructured: Bool)
    /// Bytes that aren't text although their media type says so.
    case malformedText
    /// Encoded or binary content, or text in an unknown charset.
    case unreadable

    /// - Parameters:
    ///   - data: The bytes.
    ///   - header: The fields of the message or of the part that contains the bytes.
    package init(_ data: Data, _ header: Header) {
        let encodings = ["Content-Encoding", "Content-Transfer-Encoding"].flatMap { header[$0]?.tokens ?? [] }
        let type = header[.contentType].flatMap { MediaType($0) }
        let boundaries = type?.parameters.filter { $0.name == "boundary" }.map(\.value) ?? []
        if !encodings.allSatisfy({ BodyContent.plainEncodings.contains(ASCII.lowercased(String($0))) })
            || header.contains(.contentType) && type == nil || boundaries.count > 1
        {
            self = .unreadable
        } else if let boundary = boundaries.first {
            self = .parts(boundary: boundary)
        } else {
            self.init(data, type)
        }
    }

    private init(_ data: Data, _ type: MediaType?) {
        let isText = type?.isText == true
        let charsets = type?.parameters.filter { $0.name == "charset" }.map { ASCII.lowercased($0.value) } ?? []
        // Binary data can begin like UTF-16.
        let unicode = isText || !charsets.isEmpty ? UnicodeText(data, type) : nil
        let isKnown = unicode != nil || charsets.allSatisfy(BodyContent.charsets.contains)
        // They contain a message, or a part of another body.
        let isNested = ["application/http", "application/partial-upload"].contains { type?.matches($0) == true }
        guard isKnown, !isNested, !["message", "multipart"].contains(type?.type) else {
            self = .unreadable
            return
        }
        let utf8 = unicode?.utf8 ?? data
        guard let text = String(validating: utf8, as: UTF8.self) else {
            self = isText ? .malformedText : .unreadable
            return
        }
        let isBinary = text.utf8.contains { $0 < 0x20 && !"\t\n\r\u{1B}".utf8.contains($0) }
        self = isText || type?.isForm == true || !isBinary ? .text(utf8, isStructured: isText) : .unreadable
    }

    /// The encodings that leave bytes as they are (RFC 9110 §8.4.1, RFC 2045 §6.2).
    private static let plainEncodings: Set<String> = ["identity", "7bit", "8bit", "binary"]

    /// The charsets in which ASCII characters are ASCII bytes.
    private static let charsets: Set<String> = [
        "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252",
    ]
}

extension MediaType {
    /// Whether a body of this type is text, and no form.
    package var isText: Bool {
        type == "text" || ["json", "xml", "html", "javascript"].contains { subtype.contains($0) }
    }
}

extension Redaction {
    /// How deep a multipart body may contain others.
    package static let maximumPartNesting = 3

    /// Returns the content of a body without its credentials. `nil` if it can't be read.
    package static func readable(_ data: Data, _ header: Header, nesting: Int = 0) -> Data? {
        switch BodyContent(data, header) {
        case .parts(let boundary):
            if nesting == maximumPartNesting { return nil }
            return FormPart.redacted(data, boundary, where: isSecret) {
                readable($0, $1, nesting: nesting + 1)
            }
        case .text(let text, let isStructured):
            let shown = hidingMembers(inJSON: text) ?? text
            return isStructured ? shown : Data(hidingItems(in: String(decoding: shown, as: UTF8.self)).utf8)
        case .malformedText, .unreadable: return nil
        }
    }
}
