import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes a value of a response.
///
/// Your own decoders are static members, so that call sites read `api.get(.count, from: "/count")`:
///
/// ```swift
/// extension ResponseDecoder where Response == Int {
///     static var count: Self {
///         ResponseDecoder { response, data in data.count }
///     }
/// }
/// ```
public struct ResponseDecoder<Response: Sendable>: Sendable {
    /// Makes the value of a head, a body, and what reads JSON where the decoder does not say it itself.
    typealias Reading = @Sendable (ResponseHead, Data, JSONDecoder) throws -> Response
    typealias AwaitedReading = @Sendable (ResponseHead, Data, JSONDecoder) async throws -> Response

    private enum Body: Sendable {
        case now(Reading)
        case later(AwaitedReading)
    }

    private let body: Body

    /// Which responses the decoder takes; `nil`, for most, leaves that to the client.
    @usableFromInline let rules: DecodingRules?

    private init(_ body: Body, _ rules: DecodingRules?) {
        self.body = body
        self.rules = rules
    }

    /// Creates a decoder that looks at a Foundation response.
    ///
    /// - Parameter decode: Makes the value. Its errors reach the caller as they are.
    public init(_ decode: @escaping @Sendable (HTTPURLResponse, Data) throws -> Response) {
        self.init(.now { head, data, _ in try decode(head.httpURLResponse(), data) }, nil)
    }

    /// Creates a decoder that looks at the head: cheaper, with repeated fields in order.
    ///
    /// - Parameter decode: Makes the value. Its errors reach the caller as they are.
    @_disfavoredOverload
    public init(_ decode: @escaping @Sendable (ResponseHead, Data) throws -> Response) {
        self.init(.now { head, data, _ in try decode(head, data) }, nil)
    }

    /// Makes the value.
    ///
    /// Any status will do, that of a failure too: a ``Client`` checks it before it decodes. Decoders that check it
    /// themselves are those of ``validating(status:)`` and ``oneOf(status:)``.
    ///
    /// - Throws: ``ResponseError`` from the decoders of this library, errors of other decoders as they are,
    ///   ``RequestError/Code/asynchronousDecoding`` where the decoder waits for something: only a ``Client`` runs that.
    public func decode(_ head: ResponseHead, _ data: Data) throws -> Response {
        let json = JSONCoders.standard.decoder
        try rules?.check(head, data, json)
        return try value(head, data, json)
    }
}

extension ResponseDecoder {
    /// Makes the value, whatever the response's status.
    func value(_ head: ResponseHead, _ data: Data, _ json: JSONDecoder) throws -> Response {
        guard case .now(let decode) = body else {
            throw RequestError(
                code: .asynchronousDecoding,
                culprit: "responseDecoder",
                message: "the response decoder is asynchronous; send the request with a Client"
            )
        }
        return try decode(head, data, json)
    }

    /// Makes the value, waiting where the decoder does.
    func awaitedValue(_ head: ResponseHead, _ data: Data, _ json: JSONDecoder) async throws -> Response {
        switch body {
        case .now(let decode): try decode(head, data, json)
        case .later(let decode): try await decode(head, data, json)
        }
    }

    /// Returns the decoder with what reads JSON wherever it does not say it itself.
    func reading(with json: JSONDecoder) -> ResponseDecoder {
        let rules = rules?.reading(with: json)
        return switch body {
        case .now(let decode): ResponseDecoder(.now { head, data, _ in try decode(head, data, json) }, rules)
        case .later(let decode): ResponseDecoder(.later { head, data, _ in try await decode(head, data, json) }, rules)
        }
    }

    /// Whether the decoder waits for something.
    var isAsynchronous: Bool {
        if case .later = body { true } else { false }
    }

    /// Creates a decoder that may read JSON.
    init(_ reading: @escaping Reading) {
        self.init(.now(reading), nil)
    }

    /// Creates a decoder that waits where `isAsynchronous` says so: the same done in two ways.
    init(
        isAsynchronous: Bool,
        rules: DecodingRules?,
        now: @escaping Reading,
        later: @escaping AwaitedReading
    ) {
        self.init(isAsynchronous ? .later(later) : .now(now), rules)
    }

    /// Creates a decoder that waits.
    init(rules: DecodingRules?, later: @escaping AwaitedReading) {
        self.init(.later(later), rules)
    }

    /// Returns the decoder with what another reads of failures, where it has nothing of its own.
    @usableFromInline func readingFailures(asBy other: DecodingRules) -> ResponseDecoder {
        guard let failure = other.failure, rules?.failure == nil else { return self }
        return with(rules: (rules ?? DecodingRules()).failing(failure))
    }

    /// Returns the decoder with other rules.
    func with(rules: DecodingRules) -> ResponseDecoder {
        ResponseDecoder(body, rules)
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
    /// Text in the `charset` of the response's media type: US-ASCII, ISO-8859-1, Windows-1252, UTF-16; in UTF-8 where it is
    /// that, another, or none (RFC 9110 §8.3.2).
    ///
    /// Bytes that are not text in it throw ``ResponseError/Code/decoding``.
    public static var text: ResponseDecoder {
        ResponseDecoder { (head: ResponseHead, data) in try text(of: data, in: head.charset ?? .utf8, head) }
    }

    /// Text in an encoding, whatever the response says. Bytes that are not text in it throw
    /// ``ResponseError/Code/decoding``.
    public static func text(encoding: String.Encoding) -> ResponseDecoder {
        ResponseDecoder { (head: ResponseHead, data) in try text(of: data, in: encoding, head) }
    }

    private static func text(of data: Data, in encoding: String.Encoding, _ head: ResponseHead) throws -> String {
        guard let text = String(data: data, encoding: encoding) else {
            let reason = CocoaError(.fileReadInapplicableStringEncoding)
            throw ResponseError.decoding("text in \(encoding)", head, data, reason)
        }
        return text
    }
}

extension ResponseHead {
    private static let charsets: [String: String.Encoding] = [
        "us-ascii": .ascii, "iso-8859-1": .isoLatin1, "windows-1252": .windowsCP1252, "utf-16": .utf16,
        "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
    ]

    fileprivate var charset: String.Encoding? {
        let type = header[.contentType].flatMap { MediaType($0) }
        let name = type?.parameters.first { $0.name == "charset" }?.value
        return name.flatMap { ResponseHead.charsets[ASCII.lowercased($0)] }
    }
}
