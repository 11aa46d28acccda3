import Foundation

/// Makes the body of a request and says in the header what it is.
///
/// Your own providers are static members, so that call sites read `.sending(.csv(rows))`:
///
/// ```swift
/// extension BodyProvider {
///     static func csv(_ rows: [String]) -> BodyProvider {
///         BodyProvider { header in
///             header.set(.contentType(MediaType(type: "text", subtype: "csv")))
///             return .data(Data(rows.joined(separator: "\r\n").utf8))
///         }
///     }
/// }
/// ```
public struct BodyProvider: Sendable {
    private enum Maker: Sendable {
        case none
        indirect case constant(RequestBody, contentType: Field)
        case closure(@Sendable (inout Header) throws -> RequestBody)
    }

    private let maker: Maker

    private init(_ maker: Maker) {
        self.maker = maker
    }

    /// Creates a provider.
    ///
    /// - Parameter encode: Sets `Content-Type` and returns the body. Its errors reach the caller as they are. It runs
    ///   each time the request is built.
    public init(encode: @escaping @Sendable (inout Header) throws -> RequestBody) {
        self.maker = .closure(encode)
    }

    /// Makes the body, updating a header on the way.
    ///
    /// - Throws: The provider's own error; the header is then unchanged.
    public func body(updating header: inout Header) throws -> RequestBody {
        switch maker {
        case .none:
            header.remove(.contentType)
            return .none
        case .constant(let body, let contentType):
            header.set(contentType)
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
    ///   - contentType: Their media type, `application/octet-stream` by default.
    public static func raw(data: Data, contentType: MediaType = .binary) -> BodyProvider {
        .constant(.data(data), contentType: contentType)
    }

    /// A stream that is read once, while the request is sent.
    ///
    /// - Parameters:
    ///   - stream: An unopened stream. It is handed over: nothing else may use it afterwards.
    ///   - length: The number of bytes it will give; `nil`, the default, when that is unknown.
    ///   - contentType: Their media type, `application/octet-stream` by default.
    public static func raw(
        stream: sending InputStream,
        length: Int64? = nil,
        contentType: MediaType = .binary
    ) -> BodyProvider {
        .constant(.stream(stream, length: length), contentType: contentType)
    }

    /// Text in UTF-8.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - contentType: Its media type, `text/plain; charset=utf-8` by default.
    public static func text(_ text: String, contentType: MediaType = .plainText) -> BodyProvider {
        .constant(.data(Data(text.utf8)), contentType: contentType)
    }

    /// A value as JSON, encoded once, now.
    ///
    /// - Parameters:
    ///   - value: The value. Changes made to it later do not change the body.
    ///   - encoder: The encoder, by default that of ``JSONCoders/standard``, so that equal values are equal bodies. An
    ///     error of it is kept and thrown by each build.
    ///   - contentType: The media type, `application/json` by default.
    public static func json(
        encoded value: some Encodable,
        using encoder: JSONEncoder = JSONCoders.standard.encoder,
        contentType: MediaType = .json
    ) -> BodyProvider {
        do {
            return .constant(.data(try encoder.encode(value)), contentType: contentType)
        } catch {
            return BodyProvider { _ in throw error }
        }
    }

    static func constant(_ body: RequestBody, contentType: MediaType) -> BodyProvider {
        BodyProvider(.constant(body, contentType: .contentType(contentType)))
    }
}
