import Requests
import RequestsCompression
import RequestsSystem

/// The parts of a request that a reply or an assertion reads most often.
///
/// ```swift
/// let stub = StubTransport(routes: [.post("/users", .reply(201))])
/// try await Client(transport: stub).send(api.post(json: user, to: "/users"))
/// let sent = stub.requests[0]
/// assert(sent.query["page"] == nil)
/// let name = try sent.json["name"]?.string
/// ```
///
/// Bodies are read if that is possible more than once, from files and streams, too, and compressed ones are decoded.
/// Otherwise, the properties throw the reason. `nil` means only that a name is missing.
extension PreparedRequest {
    /// The decoded items of the query.
    public var query: Query { Query(QueryItem.items(of: url.query?[...] ?? "")) }

    /// The decoded fields of a form (`application/x-www-form-urlencoded`).
    ///
    /// - Throws: `RequestError.Code.unreadableBody` if the body is no form, or can't be read.
    public var form: Query {
        get throws {
            let type = header[.contentType]
            guard type.map({ MediaType($0)?.isForm == true }) ?? true else {
                throw unreadable("its Content-Type is \(Redaction.quoted(type ?? ""))")
            }
            return Query(formItems(try text))
        }
    }

    /// The body, parsed as JSON.
    ///
    /// - Throws: `DecodingError` if the body isn't JSON, or `RequestError.Code.unreadableBody` if it can't be read.
    public var json: JSONValue { get throws { try json(JSONValue.self) } }

    /// Decodes the body from JSON.
    ///
    /// ```swift
    /// let request = try api.post(json: user, to: "/users").prepared()
    /// let sent = try request.json(User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - coders: The decoder. Default: `standard`.
    /// - Throws: `DecodingError` if the body isn't JSON of this type, or `RequestError.Code.unreadableBody` if it can't
    ///   be read.
    public func json<Value: Decodable>(_ type: Value.Type, coders: JSONCoders = .standard) throws -> Value {
        try coders.decoder.decodeLimited(type, from: content)
    }

    /// Returns the first part of a multipart body with a name. `nil` if there is none.
    ///
    /// - Throws: `RequestError.Code.unreadableBody` if the body isn't multipart, or can't be read.
    public func part(_ name: String) throws -> Part? {
        guard let boundary else { throw unreadable("its Content-Type has no boundary, so it isn't multipart") }
        return FormPart.parts(of: try content, boundary).lazy.map(Part.init).first { $0.name == name }
    }

    /// The token of a field `Authorization: Bearer …`. `nil` if there is no such field.
    public var bearerToken: String? {
        guard let field = header[.authorization] else { return nil }
        let (scheme, token) = field.split(at: " ")
        return ASCII.equalsIgnoringCase(String(scheme), "Bearer") ? token.map { String($0) } : nil
    }

    /// The body as text in UTF-8.
    ///
    /// - Throws: `RequestError.Code.unreadableBody` if the body isn't UTF-8, or can't be read.
    public var text: String {
        get throws {
            guard let text = String(validating: try content, as: UTF8.self) else { throw unreadable("it isn't UTF-8") }
            return text
        }
    }

    /// A part of a multipart body.
    public struct Part: Sendable {
        /// The fields of the part.
        public let header: Header

        /// The content.
        public let data: Data

        /// The name of the form's field. `nil` if the part has none.
        public var name: String? { disposition("name") }

        /// The name of the file. `nil` if the part isn't a file.
        public var filename: String? { disposition("filename") }

        /// The media type. `nil` if the part has none.
        public var contentType: MediaType? { header[.contentType].flatMap { MediaType($0) } }

        /// The content as text. Invalid UTF-8 is repaired.
        public var text: String { String(decoding: data, as: UTF8.self) }
    }
}

extension PreparedRequest.Part {
    fileprivate init(_ part: FormPart) {
        header = part.header
        // The line break before the next delimiter isn't part of the content.
        data = Data(part.content.suffix(2) == Data("\r\n".utf8) ? part.content.dropLast(2) : part.content)
    }

    private func disposition(_ name: String) -> String? {
        var field = (header["Content-Disposition"] ?? "").utf8[...]
        return field.takeParameters().first { ASCII.equalsIgnoringCase($0.name, name) }?.value
    }
}

extension PreparedRequest {
    /// The body without content encodings.
    var content: Data {
        get throws {
            if body.isNone { return Data() }
            guard body.isReplayable else { throw unreadable("it can be read only once") }
            var bytes: BodyBytes
            do {
                bytes = try BodyBytes(body) { try OpenFile.reading($0.url.path, from: $0.offset, count: $0.length) }
            } catch {
                throw unreadable(error.code == .unsupportedBody ? "it is a sequence of chunks" : error.message)
            }
            var data = Data()
            while let chunk = try bytes.next(upTo: 256 << 10) {
                data += chunk
                guard data.count <= CallOptions.defaultMaximumBodyBytes else {
                    throw unreadable("it has more than 64 MiB")
                }
            }
            let limit = CallOptions.defaultMaximumBodyBytes
            guard let decoded = ContentEncoding.decoded(data, header, upTo: limit) else {
                throw unreadable("its content encoding can't be decoded")
            }
            return decoded
        }
    }

    var boundary: String? { header[.contentType].flatMap { MediaType($0) }?.boundary }

    /// The items of a form. In a form, unlike in a URL, `+` means a space.
    func formItems(_ text: String) -> [QueryItem] {
        QueryItem.items(of: text.replacing("+", with: "%20")[...])
    }

    private func unreadable(_ reason: String) -> RequestError {
        RequestError(
            code: .unreadableBody,
            subject: "body",
            message: "The body of \(self) can't be read, because \(reason)."
        )
    }
}

extension RequestError.Code {
    /// A test reads a body that can't be read in that way.
    public static let unreadableBody = RequestError.Code(rawValue: "unreadableBody")
}

extension Query {
    fileprivate init(_ items: [QueryItem]) {
        self.init(items.map { URLQueryItem(name: $0.name, value: $0.value) })
    }
}
