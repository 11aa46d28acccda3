/// Creates the body of a request and sets the header fields that describe it.
///
/// Write your own providers as static members, so that call sites read `.sending(.csv(rows))`:
///
/// ```swift
/// extension BodyProvider {
///     static func csv(_ rows: [String]) -> BodyProvider {
///         .raw(data: Data(rows.joined(separator: "\r\n").utf8), contentType: "text/csv")
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

    private init(_ maker: Maker) {
        self.maker = maker
    }

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
