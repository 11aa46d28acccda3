import Foundation

/// The parts of a `multipart/form-data` body: fields, and files that are read while they are sent.
///
/// ```swift
/// let upload = api.post(.multipart([.field("title", "Summer"), .file("photo", url, contentType: .jpeg)]), to: "/photos")
/// ```
///
/// Names and file names are written as browsers do: UTF-8, with `"`, CR and LF percent-encoded.
///
/// Specification: RFC 7578, WHATWG HTML §4.10.21.8.
public struct Multipart: Sendable, ExpressibleByArrayLiteral {
    /// The parts, in order.
    public var parts: [Part]

    /// Creates a body of parts.
    public init(_ parts: [Part]) {
        self.parts = parts
    }

    /// Creates a body of parts.
    public init(arrayLiteral elements: Part...) {
        self.parts = elements
    }

    /// One part: a name, a content and what is said of it.
    public struct Part: Sendable {
        let name: String
        let filename: String?
        let contentType: MediaType?
        /// Fields after `Content-Disposition` and `Content-Type`; none by default.
        public var header: Header = .empty
        let content: Content

        enum Content: Sendable {
            case data(Data)
            case file(URL)
        }

        /// A field of a form, with a text.
        public static func field(_ name: String, _ value: String) -> Part {
            Part(name: name, filename: nil, contentType: nil, content: .data(Data(value.utf8)))
        }

        /// Bytes in memory.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - data: The bytes.
        ///   - filename: The name of the file that they stand for; `nil`, the default, for none.
        ///   - contentType: Their media type; `nil`, the default, leaves it unsaid.
        public static func data(
            _ name: String,
            _ data: Data,
            filename: String? = nil,
            contentType: MediaType? = nil
        ) -> Part {
            Part(name: name, filename: filename, contentType: contentType, content: .data(data))
        }

        /// A file, looked at when the request is built and read while it is sent.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - url: The file.
        ///   - filename: The name that the receiver is told; the file's own by default.
        ///   - contentType: The file's media type, `application/octet-stream` by default.
        public static func file(
            _ name: String,
            _ url: URL,
            filename: String? = nil,
            contentType: MediaType = .binary
        ) -> Part {
            let filename = filename ?? url.lastPathComponent
            return Part(name: name, filename: filename, contentType: contentType, content: .file(url))
        }

        fileprivate func head() throws -> String {
            let fields = Header((contentType.map { [.contentType($0)] } ?? []) + header)
            try fields.validate()
            var disposition = "form-data; name=\"\(Multipart.escaped(name))\""
            if let filename { disposition += "; filename=\"\(Multipart.escaped(filename))\"" }
            let lines = ["Content-Disposition: \(disposition)"] + fields.map { $0.line(revealingSecrets: true) }
            return lines.joined(separator: "\r\n") + "\r\n\r\n"
        }
    }

    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\"": text += "%22"
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// A boundary that is in none of the contents in memory, and too long to be met in a file.
    func boundary(from candidates: () -> String) -> String {
        var candidate = ""
        for _ in 1...100 {
            candidate = candidates()
            if !isContained(candidate) { return candidate }
        }
        // Candidates may all be the same; contents end somewhere.
        var number = 1
        while isContained("\(candidate)\(number)") { number += 1 }
        return "\(candidate)\(number)"
    }

    private func isContained(_ boundary: String) -> Bool {
        let bytes = Data("--\(boundary)".utf8)
        return parts.contains { part in
            if case .data(let data) = part.content { data.range(of: bytes) != nil } else { false }
        }
    }

    /// The parts as one body, its length known in advance.
    func body(boundary: String) throws -> RequestBody {
        var bodies: [RequestBody] = []
        var text = Data()
        for part in parts {
            text += Data("--\(boundary)\r\n\(try part.head())".utf8)
            switch part.content {
            case .data(let data): text += data
            case .file(let url):
                bodies += [.data(text), .file(url)]
                text = Data()
            }
            text += Data("\r\n".utf8)
        }
        text += Data("--\(boundary)--\r\n".utf8)
        return bodies.isEmpty ? .data(text) : .joined(bodies + [.data(text)])
    }
}

extension BodyProvider {
    /// The parts of a form as `multipart/form-data`. Files are read while they are sent; the length is known before.
    ///
    /// - Parameters:
    ///   - multipart: The parts.
    ///   - boundary: Makes what separates the parts, asked again while it is in one of them; random by default. After
    ///     100 times a number is appended.
    public static func multipart(
        _ multipart: Multipart,
        boundary: @Sendable () -> String = { "Requests-\(UUID().uuidString)" }
    ) -> BodyProvider {
        // Chosen once, so that building the request again gives the same bytes.
        let boundary = multipart.boundary(from: boundary)
        return BodyProvider { header in
            let body = try multipart.body(boundary: boundary)
            let parameters = [MediaType.Parameter("boundary", boundary)]
            header.set(.contentType(MediaType(type: "multipart", subtype: "form-data", parameters: parameters)))
            return body
        }
    }
}
