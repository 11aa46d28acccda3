/// Creates the body of a request and sets the header fields that describe it.
///
/// Write your own providers as static members, so that call sites read `.sending(.csv(rows))`:
///
/// ```swift
/// extension BodyProvider {
///     static func csv(_ rows: [String]) -> BodyProvider {
///         .raw(
///             data: Data(rows.joined(separator: "\r\n").utf8),
///             contentType: "text/csv"
///         )
///     }
/// }
/// ```
///
/// Every factory has a `contentType` parameter. Pass `nil` to keep the request's own `Content-Type`.
public struct BodyProvider: Sendable {
    private enum Maker: Sendable {
        case none
        indirect case constant(RequestBody, contentType: Field?)
        case closure(@Sendable (inout Header) throws -> RequestBody)
    }

    private let maker: Maker

    private init(_ maker: Maker) { self.maker = maker }

    /// Creates a provider.
    ///
    /// - Parameter encode: Sets `Content-Type` and returns the body. Runs each time the request is built. Its errors
    ///   are rethrown when it is built.
    public init(encode: @escaping @Sendable (inout Header) throws -> RequestBody) {
        self.maker = .closure(encode)
    }

    /// Returns a provider whose bodies are marked with ``RequestBody/sensitive()``.
    public func sensitive() -> BodyProvider {
        BodyProvider { header in try body(updating: &header).sensitive() }
    }

    /// A body that is the same each time the request is built.
    init(_ body: RequestBody, contentType: MediaType?) {
        guard let contentType else {
            self.maker = .constant(body, contentType: nil)
            return
        }
        self.maker = .constant(body, contentType: .contentType(contentType))
    }

    /// Creates the body and updates the header.
    ///
    /// - Throws: The provider's own error. The header is unchanged in that case.
    public func body(updating header: inout Header) throws -> RequestBody {
        switch maker {
        case .none:
            header.remove(.contentType)
            return .none
        case .constant(let body, let contentType):
            if let contentType { header.set(contentType) }
            return body
        case .closure(let encode):
            var updated = header
            let body = try encode(&updated)
            header = updated
            return body
        }
    }
}

extension BodyProvider {
    /// No body. Removes `Content-Type`.
    public static let none = BodyProvider(.none)

    /// Bytes in memory.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    public static func raw(data: Data, contentType: MediaType? = .binary) -> BodyProvider {
        BodyProvider(.data(data), contentType: contentType)
    }

    /// A string in UTF-8.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - contentType: The media type. Default: `text/plain`. `nil` keeps the request's own. Types of text and XML
    ///     without a `charset` get `charset=utf-8`.
    public static func text(_ text: String, contentType: MediaType? = .plainText) -> BodyProvider {
        BodyProvider(.data(Data(text.utf8)), contentType: contentType?.forUTF8())
    }

    /// A value encoded as JSON.
    ///
    /// The value is encoded immediately. If that fails, building a request with it throws the error.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder. Default: that of ``JSONCoders/standard``, which makes equal values equal bodies.
    ///   - contentType: The media type. Default: `application/json`. `nil` keeps the request's own.
    public static func json(
        encoded value: some Encodable,
        using encoder: JSONEncoder = JSONCoders.standard.encoder,
        contentType: MediaType? = .json
    ) -> BodyProvider {
        do {
            return BodyProvider(.data(try encoder.encode(value)), contentType: contentType)
        } catch {
            return BodyProvider { _ in throw error }
        }
    }
}

extension BodyProvider {
    /// Names and values as `application/x-www-form-urlencoded`.
    ///
    /// ```swift
    /// let person = api.post(
    ///     .form(["name": "Ada Lovelace", "born": 1815]),
    ///     to: "/people"
    /// )
    /// // name=Ada+Lovelace&born=1815
    /// ```
    ///
    /// A space becomes `+`, as in browsers. In the literal, `nil` leaves the item out and an array repeats the name. A
    /// `URLQueryItem` without a value gives `name=`, because a form can't contain a name alone.
    ///
    /// - Parameters:
    ///   - query: The names and values.
    ///   - contentType: The media type. `nil` keeps the request's own.
    ///
    /// Specification: WHATWG URL §5.2.
    public static func form(_ query: Query, contentType: MediaType? = .urlEncodedForm) -> BodyProvider {
        BodyProvider(.data(FormEncoding.data(query.items)), contentType: contentType)
    }

    /// An `Encodable` value as `application/x-www-form-urlencoded`.
    ///
    /// The value is encoded immediately. If that fails, building a request with it throws the error.
    ///
    /// - Parameters:
    ///   - value: A value with keys.
    ///   - style: How the value becomes names and values. See ``Query/Style`` for the defaults.
    ///   - contentType: The media type. `nil` keeps the request's own.
    public static func form(
        encoded value: some Encodable,
        style: Query.Style = Query.Style(),
        contentType: MediaType? = .urlEncodedForm
    ) -> BodyProvider {
        do {
            return form(try Query.encoding(value, style: style), contentType: contentType)
        } catch {
            return BodyProvider { _ in throw error }
        }
    }
}

/// The encoding of forms (WHATWG URL §5.2).
enum FormEncoding {
    private static let unchanged = ByteSet(alphanumericsAnd: "*-._")

    static func data(_ items: [URLQueryItem]) -> Data {
        var bytes: [UInt8] = []
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            append(item.name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(item.value ?? "", to: &bytes)
        }
        return Data(bytes)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        var isFirst = true
        for word in text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
            if !isFirst { bytes.append(UInt8(ascii: "+")) }
            isFirst = false
            PercentEncoding.append(String(Substring(word)), keeping: unchanged, to: &bytes)
        }
    }
}

extension BodyProvider {
    /// A JSON value, written as a literal.
    ///
    /// ```swift
    /// let person = api.post(
    ///     .json(["user": ["name": .string(name), "tags": ["a", "b"], "age": 36]]),
    ///     to: "/users"
    /// )
    /// ```
    ///
    /// Variables are written as JSON values, such as `.string(name)`. Object members are sorted by name.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - contentType: The media type. Default: `application/json`. `nil` keeps the request's own.
    public static func json(_ value: JSONValue, contentType: MediaType? = .json) -> BodyProvider {
        json(encoded: value, contentType: contentType)
    }

    /// A dictionary as a JSON object.
    ///
    /// Values are `Encodable`, or arrays and dictionaries of such values; `nil` is `null`. Members are sorted by name,
    /// so that equal dictionaries make equal bodies. Building a request throws if a value can't be encoded.
    ///
    /// - Parameters:
    ///   - object: The members.
    ///   - contentType: The media type. Default: `application/json`. `nil` keeps the request's own.
    public static func json(
        object: [String: (any Sendable)?],
        contentType: MediaType? = .json
    ) -> BodyProvider {
        json(encoded: AnyEncodable(value: object), contentType: contentType)
    }
}

extension BodyProvider {
    /// A string is a JSON value, not a JSON document.
    @available(*, unavailable, message: "use .raw(data:contentType:) for JSON text, .json(encoded:) for a string value")
    public static func json(_ text: String, contentType: MediaType? = .json) -> BodyProvider {
        json(encoded: text, contentType: contentType)
    }

    /// A value of your own type needs the label `encoded`.
    @available(*, unavailable, message: "write .json(encoded:) for an Encodable value")
    public static func json(_ value: some Encodable, contentType: MediaType? = .json) -> BodyProvider {
        json(encoded: value, contentType: contentType)
    }

    /// A dictionary of mixed values needs the label `object`.
    @available(*, unavailable, message: "write .json(object:) for a dictionary of mixed values")
    public static func json(
        _ object: [String: (any Sendable)?],
        contentType: MediaType? = .json
    ) -> BodyProvider {
        json(object: object, contentType: contentType)
    }
}

/// Any value that may be encodable, or an array or a dictionary of such values.
private struct AnyEncodable: Encodable {
    let value: (any Sendable)?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case nil: try container.encodeNil()
        case let value as any Encodable: try container.encode(value)
        case let values as [(any Sendable)?]: try container.encode(values.map { AnyEncodable(value: $0) })
        case let object as [String: (any Sendable)?]: try container.encode(object.mapValues { AnyEncodable(value: $0) })
        case .some(let value):
            let context = EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "A value of type \(type(of: value)) can't be encoded as JSON."
            )
            // The type instead of the value, which may be a secret.
            throw EncodingError.invalidValue(type(of: value), context)
        }
    }
}

extension BodyProvider {
    /// A file, or a range of it, read while it is sent.
    ///
    /// - Parameters:
    ///   - url: The file. Building the request throws ``RequestError/Code/unreadableFile`` if it can't be read. Sending
    ///     fails if the file is shorter by then.
    ///   - range: The bytes to send. Default: the whole file.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    public static func file(
        _ url: URL,
        range: Range<Int64>? = nil,
        contentType: MediaType? = .binary
    ) -> BodyProvider {
        BodyProvider { header in
            if let contentType { header.set(.contentType(contentType)) }
            return .file(url, range: range)
        }
    }

    /// A sequence of chunks. The next one is requested after the last one was sent.
    ///
    /// - Parameters:
    ///   - chunks: The bytes. An error of the sequence ends the attempt.
    ///   - length: The number of bytes, or `nil` if it is unknown. Sending fails if there are fewer or more bytes.
    ///   - isReplayable: Whether iterating again gives the same bytes, so that the body can be sent again. Default:
    ///     `false`.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        length: Int64? = nil,
        isReplayable: Bool = false,
        contentType: MediaType? = .binary
    ) -> BodyProvider where Chunks.Element: DataProtocol {
        BodyProvider(.chunks(chunks, length: length, isReplayable: isReplayable), contentType: contentType)
    }

    /// A sequence of chunks of unknown length, with fields that are sent after the last one (RFC 9110 §6.5).
    ///
    /// A transport without the capability `requestTrailers` rejects the request before it sends anything.
    ///
    /// - Parameters:
    ///   - chunks: The bytes. An error of the sequence ends the exchange.
    ///   - isReplayable: Whether iterating again gives the same bytes, so that the body can be sent again. Default:
    ///     `false`.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    ///   - trailers: Returns the fields when the last chunk was read, each time the body is sent. Sending fails with
    ///     `TransportError.Code.sourceFailed` if it throws, or if a field isn't allowed after a body
    ///     (``RequestError/Code/invalidFieldName``), such as `Content-Length` or `Authorization`.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        isReplayable: Bool = false,
        contentType: MediaType? = .binary,
        trailers: @escaping @Sendable () throws -> Header
    ) -> BodyProvider where Chunks.Element: DataProtocol {
        BodyProvider(.chunks(chunks, isReplayable: isReplayable, trailers: trailers), contentType: contentType)
    }

    /// A sequence of single bytes, sent in chunks of 16 KiB.
    ///
    /// Bytes wait until a chunk is full or the sequence ends.
    ///
    /// - Parameters:
    ///   - bytes: The bytes. An error of the sequence ends the attempt.
    ///   - length: The number of bytes, or `nil` if it is unknown. Sending fails if there are fewer or more bytes.
    ///   - isReplayable: Whether iterating again gives the same bytes, so that the body can be sent again. Default:
    ///     `false`.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    public static func chunks<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        length: Int64? = nil,
        isReplayable: Bool = false,
        contentType: MediaType? = .binary
    ) -> BodyProvider where Bytes.Element == UInt8 {
        chunks(ByteChunks(bytes: bytes), length: length, isReplayable: isReplayable, contentType: contentType)
    }
}
