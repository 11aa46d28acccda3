import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes a value of a response.
///
/// Own decoders are static members, so that call sites read `api.get(.count, from: "/count")`:
///
/// ```swift
/// extension ResponseDecoder where Response == Int {
///     static var count: Self {
///         ResponseDecoder { response, data in data.count }
///     }
/// }
/// ```
public struct ResponseDecoder<Response: Sendable>: Sendable {
    private let body: @Sendable (ResponseHead, Data) throws -> Response

    /// Creates a decoder that looks at a Foundation response.
    ///
    /// - Parameter decode: Makes the value. Its errors reach the caller as they are.
    public init(_ decode: @escaping @Sendable (HTTPURLResponse, Data) throws -> Response) {
        self.body = { head, data in try decode(head.httpURLResponse(), data) }
    }

    /// Creates a decoder that looks at the head: cheaper, with repeated fields in order.
    ///
    /// - Parameter decode: Makes the value. Its errors reach the caller as they are.
    @_disfavoredOverload
    public init(_ decode: @escaping @Sendable (ResponseHead, Data) throws -> Response) {
        self.body = decode
    }

    /// Makes the value.
    ///
    /// - Throws: ``ResponseError/Code/decoding`` from the decoders of this library, own errors from others.
    public func decode(_ head: ResponseHead, _ data: Data) throws -> Response {
        try body(head, data)
    }
}

extension ResponseDecoder where Response == Void {
    /// Ignores the body.
    public static var none: ResponseDecoder { ResponseDecoder { (_: ResponseHead, _) in } }
}

extension ResponseDecoder where Response == Data {
    /// The bytes as they are.
    public static var data: ResponseDecoder { ResponseDecoder { (_: ResponseHead, data) in data } }
}

extension ResponseDecoder where Response == String {
    /// Text in UTF-8.
    public static var text: ResponseDecoder { .text(encoding: .utf8) }

    /// Text in an encoding. Bytes that are not text in it throw ``ResponseError/Code/decoding``.
    public static func text(encoding: String.Encoding) -> ResponseDecoder {
        ResponseDecoder { (head: ResponseHead, data) in
            guard let text = String(data: data, encoding: encoding) else {
                let reason = CocoaError(.fileReadInapplicableStringEncoding)
                throw ResponseError.decoding("text in \(encoding)", head, data, reason)
            }
            return text
        }
    }
}

extension ResponseDecoder where Response: Decodable {
    /// A value from JSON.
    ///
    /// - Parameters:
    ///   - type: The value's type, for a call site that does not say it otherwise.
    ///   - decoder: The decoder, a plain `JSONDecoder()` by default. It must not be changed afterwards.
    public static func json(
        encoded type: Response.Type = Response.self,
        decoder: JSONDecoder = JSONCoders.standard.decoder
    ) -> ResponseDecoder {
        ResponseDecoder { (head: ResponseHead, data) in
            do {
                return try decoder.decode(Response.self, from: data)
            } catch {
                throw ResponseError.decoding("the JSON of a \(Response.self)", head, data, error)
            }
        }
    }
}
