/// The parts of a multipart body: fields of a form and files, or contents without names.
///
/// ```swift
/// let form: Multipart = [
///     .field("title", "Summer"), .file("photo", url, contentType: .jpeg),
/// ]
/// let upload = api.post(.multipart(form), to: "/photos")
/// ```
///
/// Servers treat a part with a filename as a file, and any other part as a field. Names and filenames are written as
/// browsers do: in UTF-8, with `"`, CR and LF percent-encoded.
///
/// Specification: RFC 7578, WHATWG HTML §4.10.21.8, RFC 2046 §5.1.
public struct Multipart: Sendable, ExpressibleByArrayLiteral {
    /// The parts, in order.
    public var parts: [Part]

    /// Creates a body from parts.
    public init(_ parts: [Part]) { self.parts = parts }

    /// Creates a body from parts.
    public init(arrayLiteral elements: Part...) { self.parts = elements }

    /// A part: a name, a content and a header.
    public struct Part: Sendable {
        /// `nil` for a part without `Content-Disposition`.
        let name: String?
        let filename: String?
        let contentType: MediaType?
        /// The fields after `Content-Disposition` and `Content-Type`, or instead of those of the same name. Default:
        /// empty.
        public var header: Header = .empty
        let content: Content

        enum Content: Sendable {
            case data(Data)
            case file(URL)
        }

        /// A field with a string as its value.
        public static func field(_ name: String, _ value: String) -> Part {
            field(name, data: Data(value.utf8))
        }

        /// A field with bytes as its value, such as a JSON document.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - data: The bytes.
        ///   - contentType: The media type. Default: `nil`, which servers read as plain text.
        public static func field(_ name: String, data: Data, contentType: MediaType? = nil) -> Part {
            Part(name: name, filename: nil, contentType: contentType, content: .data(data))
        }

        /// Bytes without a name, for `multipart/related` and `multipart/mixed`.
        ///
        /// - Parameters:
        ///   - data: The bytes.
        ///   - contentType: The media type. `nil` for none.
        public static func content(_ data: Data, contentType: MediaType?) -> Part {
            Part(name: nil, filename: nil, contentType: contentType, content: .data(data))
        }

        /// A file from disk without a name, for `multipart/related` and `multipart/mixed`.
        ///
        /// - Parameters:
        ///   - url: The file.
        ///   - contentType: The media type. `nil` for none.
        public static func content(of url: URL, contentType: MediaType?) -> Part {
            Part(name: nil, filename: nil, contentType: contentType, content: .file(url))
        }

        /// A file with bytes from memory.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - data: The bytes.
        ///   - filename: The filename, which makes the part a file.
        ///   - contentType: The media type. Default: `application/octet-stream`.
        public static func data(
            _ name: String,
            _ data: Data,
            filename: String,
            contentType: MediaType = .binary
        ) -> Part {
            Part(name: name, filename: filename, contentType: contentType, content: .data(data))
        }

        /// A file from disk. Its size is read when the request is built, its bytes when it is sent.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - url: The file.
        ///   - filename: The filename. Default: `nil`, for the last path component of the URL.
        ///   - contentType: The media type. Default: `application/octet-stream`.
        public static func file(
            _ name: String,
            _ url: URL,
            filename: String? = nil,
            contentType: MediaType = .binary
        ) -> Part {
            let filename = filename ?? url.lastPathComponent
            return Part(name: name, filename: filename, contentType: contentType, content: .file(url))
        }
    }
}

extension Multipart {
    /// Returns the parts as one body of known length.
    func body(boundary: String) throws -> RequestBody {
        var bodies: [RequestBody] = []
        var bytes = Data()
        for part in parts {
            try part.fields.validate()
            for line in ["--\(boundary)"] + part.lines + [""] { bytes += Data("\(line)\r\n".utf8) }
            switch part.content {
            case .data(let data): bytes += data
            case .file(let url):
                bodies += [.data(bytes), .file(url)]
                bytes = Data()
            }
            bytes += Data("\r\n".utf8)
        }
        bytes += Data("--\(boundary)--\r\n".utf8)
        let body = bodies.isEmpty ? RequestBody.data(bytes) : .joined(bodies + [.data(bytes)])
        return body.with(partCount: parts.count)
    }
}

extension Multipart.Part {
    /// The header, without the form's `Content-Disposition`.
    fileprivate var fields: Header { contentType.map { Header(.contentType($0)).merging(header) } ?? header }

    /// The lines of the header.
    ///
    /// `Content-Disposition` isn't a `Field`, because names may contain any character but line breaks.
    fileprivate var lines: [String] {
        let lines = fields.map { $0.line(revealingSecrets: true) }
        guard let name, !header.contains("Content-Disposition") else { return lines }
        let filename = filename.map { "; filename=\"\(Multipart.Part.escaped($0))\"" } ?? ""
        return ["Content-Disposition: form-data; name=\"\(Multipart.Part.escaped(name))\"\(filename)"] + lines
    }

    package static func escaped(_ name: String) -> String {
        name.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\"": text += "%22"
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension BodyProvider {
    /// A form as `multipart/form-data`. Files are read while they are sent, and the length is known in advance.
    ///
    /// The boundary is derived from names, filenames, media types, header fields and file paths, so equal forms are
    /// equal bodies. No content in memory contains it. Files are read only when the body is sent, so their contents
    /// can't be checked. If there is a file, the boundary also depends on a per-process random key, so that the author
    /// of the file can't predict it.
    ///
    /// - Parameters:
    ///   - multipart: The parts.
    ///   - contentType: The media type, with or without a boundary. Default: `multipart/form-data`. `nil` keeps the
    ///     request's own.
    ///
    /// Building the request throws ``RequestError/Code/invalidMediaType`` if the type isn't multipart, or if a form's
    /// part has no name, or if the type's boundary isn't legal (RFC 2046 §5.1.1) or may occur in a part or a file.
    public static func multipart(
        _ multipart: Multipart,
        contentType: MediaType? = .multipartFormData
    ) -> BodyProvider {
        let boundary = multipart.boundary
        return BodyProvider { header in
            let own = header[.contentType].map { MediaType($0) ?? MediaType(type: "", subtype: "") }
            var type = contentType ?? own ?? .multipartFormData
            try multipart.check(type)
            if type.boundary == nil { type.parameters.append(("boundary", boundary)) }
            let body = try multipart.body(boundary: type.boundary ?? boundary)
            header.set(.contentType(type))
            return body
        }
    }

    /// Parts that are known at run time. The same as `multipart(Multipart(parts))`.
    public static func multipart(
        _ parts: [Multipart.Part],
        contentType: MediaType? = .multipartFormData
    ) -> BodyProvider {
        multipart(Multipart(parts), contentType: contentType)
    }
}

/// The bytes between two delimiters of a multipart body.
package struct FormPart {
    /// The header, including the empty line that ends it. Empty if there is no such line.
    package let head: Data
    package let content: Data

    static func separator(_ boundary: String) -> Data { Data("--\(boundary)".utf8) }

    /// Splits a body into parts. The bytes before the first delimiter and after the last one are parts, too.
    package static func parts(of data: Data, _ boundary: String) -> [FormPart] {
        var parts: [FormPart] = []
        var rest = data[...]
        for match in ByteSearch(Array(separator(boundary))).matches(in: data) {
            parts.append(FormPart(rest[..<match.lowerBound]))
            rest = rest[match.upperBound...]
        }
        return parts + [FormPart(rest)]
    }

    private static let headEnd = ByteSearch(Array("\r\n\r\n".utf8))

    private init(_ part: Data) {
        let start = FormPart.headEnd.firstMatch(in: part)?.upperBound ?? part.startIndex
        (head, content) = (part[..<start], part[start...])
    }

    /// The fields of the head. Malformed lines are skipped.
    package var header: Header {
        var fields: [Field] = []
        for line in String(decoding: head, as: UTF8.self).utf8.split(whereSeparator: { "\r\n".utf8.contains($0) }) {
            if let last = fields.last, line.first?.isFieldWhitespace == true {
                fields[fields.count - 1] = Field(name: last.name, value: "\(last.value) \(Substring(line))")
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                let name = Substring(line[..<colon]).trimmingFieldWhitespace()
                let value = Substring(line[line.index(after: colon)...]).trimmingFieldWhitespace()
                fields.append(Field(name: Field.Name(name), value: value))
            }
        }
        return Header(fields)
    }

    /// Returns a body with the contents of secret parts replaced by a placeholder.
    ///
    /// Works on bytes because other parts may not be text.
    ///
    /// - Parameters:
    ///   - isSecret: Whether a field is secret, by its name and the beginning of its content.
    ///   - redact: Returns the content of another part, whose header it gets, without its secrets. Default: unchanged.
    /// - Returns: `nil` if `redact` returns `nil`.
    package static func redacted(
        _ data: Data,
        _ boundary: String,
        where isSecret: (String, ArraySlice<UInt8>) -> Bool,
        _ redact: (Data, Header) -> Data? = { content, _ in content }
    ) -> Data? {
        // Foundation on Linux traps if both operands of `Data + Data` are empty slices, so this is an array.
        var bytes: [UInt8] = []
        for (index, part) in parts(of: data, boundary).enumerated() {
            if index > 0 { bytes += separator(boundary) }
            bytes += part.head
            if part.isSecret(where: isSecret) {
                bytes += Data("\(Redaction.placeholder)\r\n".utf8)
            } else {
                // The line break before the next delimiter isn't part of the content.
                let end = part.content.suffix(2).elementsEqual("\r\n".utf8) ? 2 : 0
                let content = part.content.dropLast(end)
                guard let redacted = content.isEmpty ? content : redact(content, part.header) else { return nil }
                bytes += redacted
                bytes += part.content.suffix(end)
            }
        }
        return Data(bytes)
    }

    /// Whether the content is a credential.
    package var isSecret: Bool { isSecret(where: Redaction.isSecret) }

    /// Whether a condition makes the content secret. Any line and any of several names counts, because a server may
    /// read another one than we do.
    private func isSecret(where condition: (String, ArraySlice<UInt8>) -> Bool) -> Bool {
        // The line break before the next delimiter isn't part of the value. A longer value isn't a number.
        let end = content.suffix(2).elementsEqual("\r\n".utf8) ? 2 : 0
        let value = Array(content.dropLast(end).prefix(32))[...]
        return String(decoding: head, as: UTF8.self).utf8.split { "\r\n".utf8.contains($0) }.contains { line in
            var line = line
            return line.takeParameters().contains {
                ASCII.equalsIgnoringCase($0.name, "name") && $0.value.map { condition($0, value) } == true
            }
        }
    }
}

extension Multipart {
    /// A boundary that is the same for equal parts, and that no content in memory contains.
    ///
    /// Contents are searched but hashed only if one contains the boundary, so it stays the same when a value changes. A
    /// content can't contain its own hash.
    var boundary: String {
        var description = description(keyedBy: hasFiles ? Multipart.processKey : [])
        let boundary = Multipart.boundary(of: description)
        guard isContained(boundary) else { return boundary }
        for part in parts {
            if case .data(let data) = part.content { description += Array("\(data.count):".utf8) + data }
        }
        return Multipart.boundary(of: description)
    }

    private static func boundary(of description: [UInt8]) -> String {
        "Requests-" + SHA2.sha256(description).prefix(16).hexadecimal
    }

    /// Makes the boundary unpredictable. If the author of a file knew it, the file could add parts to the body.
    private static let processKey = (0..<32).map { _ in UInt8.random(in: .min ... .max) }

    private var hasFiles: Bool {
        parts.contains { part in
            if case .file = part.content { true } else { false }
        }
    }

    /// The parts without their contents. A length before each string makes the description unambiguous.
    private func description(keyedBy key: [UInt8]) -> [UInt8] {
        var bytes = key
        for part in parts {
            var texts = part.lines
            if case .file(let url) = part.content { texts.append("file: \(url.path)") }
            bytes += Array("\(texts.count):".utf8)
            for text in texts { bytes += Array("\(text.utf8.count):\(text)".utf8) }
        }
        return bytes
    }

    /// Throws if these parts can't have a media type.
    fileprivate func check(_ type: MediaType) throws(RequestError) {
        guard type.type == "multipart" else { throw .contentType(type, "isn't a multipart type. Use one") }
        let isNameless = parts.contains { $0.name == nil && !$0.header.contains("Content-Disposition") }
        if isNameless, type.matches(.multipartFormData) {
            throw .contentType(type, "needs a name for each part. Use .field, .data and .file, or another type")
        }
        let boundaries = type.parameters.filter { $0.name == "boundary" }.map(\.value)
        guard let boundary = boundaries.first else { return }
        let isLegal = (1...70).contains(boundary.utf8.count) && boundary.utf8.last != UInt8(ascii: " ")
        guard boundaries.count == 1, isLegal, Multipart.boundaryBytes.containsAll(of: boundary) else {
            throw .contentType(type, "has an illegal boundary. Leave it out")
        }
        let isInHeader = parts.contains { $0.lines.contains { $0.contains("--\(boundary)") } }
        if isInHeader || isContained(boundary) {
            throw .contentType(type, "has a boundary that a part contains. Leave it out")
        }
        // Files are read only when they are sent, and their authors know this boundary.
        if hasFiles { throw .contentType(type, "has a boundary that a file may contain. Leave it out") }
    }

    private static let boundaryBytes = ByteSet(alphanumericsAnd: "'()+_,-./:=? ")

    private func isContained(_ boundary: String) -> Bool {
        let delimiter = ByteSearch(Array("--\(boundary)".utf8))
        return parts.contains { part in
            if case .data(let data) = part.content { delimiter.firstMatch(in: data) != nil } else { false }
        }
    }
}

extension RequestError {
    fileprivate static func contentType(_ type: MediaType, _ reason: String) -> RequestError {
        let message = "The type \(Redaction.quoted(type.rawValue)) of a multipart body \(reason)."
        return RequestError(code: .invalidMediaType, subject: "Content-Type", message: message)
    }
}
