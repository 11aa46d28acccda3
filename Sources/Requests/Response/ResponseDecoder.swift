/// Turns a response into a value.
///
/// Write your own decoders as static members, so that call sites read `api.get(.count, from: "/count")`:
///
/// ```swift
/// extension ResponseDecoder where Response == Int {
///     static var count: Self {
///         .reading { head, data in data.count }
///     }
/// }
/// ```
public struct ResponseDecoder<Response: Sendable>: Sendable {
    /// Reads a head and a body. The last argument is the default JSON decoder.
    package typealias Read = @Sendable (ResponseHead, Data, JSONDecoder) throws -> Decoding<Response>

    package let read: Read

    /// Which responses are accepted and how failures are read. `nil` leaves both to the client.
    package let rules: ResponseRules?

    /// The default for decoding JSON. `nil` if there is no API.
    package let json: JSONDecoder?

    package init(rules: ResponseRules? = nil, json: JSONDecoder? = nil, read: @escaping Read) {
        self.read = read
        self.rules = rules
        self.json = json
    }

    /// Creates a decoder that reads the head and the body.
    ///
    /// - Parameter decode: Creates the value. Its errors are rethrown.
    public static func reading(
        _ decode: @escaping @Sendable (ResponseHead, Data) throws -> Response
    ) -> ResponseDecoder {
        ResponseDecoder { head, data, _ in .value(try decode(head, data)) }
    }

    /// Decodes a response.
    ///
    /// Accepts any status, because a client checks the status before it decodes. Decoders made with
    /// ``validating(status:)`` and ``oneOf(status:)`` check it here, too.
    ///
    /// - Throws: ``ResponseError`` from this library's decoders, errors of other decoders unchanged, or
    ///   ``RequestError/Code/asynchronousDecoding`` if the decoder has to wait. Only a client can run such a decoder.
    public func decode(_ head: ResponseHead, _ data: Data) throws -> Response {
        let json = JSONCoders.standard.decoder
        try rules?.check(head, data, json)
        guard case .value(let value) = try read(head, data, json) else {
            throw RequestError(
                code: .asynchronousDecoding,
                subject: "responseDecoder",
                message: "The response decoder is asynchronous. Send the request with a Client."
            )
        }
        return value
    }

    /// Returns the decoder with a default for decoding JSON.
    func reading(with json: JSONDecoder) -> ResponseDecoder {
        ResponseDecoder(rules: rules?.reading(with: json), json: json) { [read] head, data, _ in
            try read(head, data, json)
        }
    }

    /// Returns the decoder with another decoder's reading of failures, unless it has its own.
    func readingFailures(like rules: ResponseRules?) -> ResponseDecoder {
        guard let failure = rules?.failure, self.rules?.failure == nil else { return self }
        return with(rules: (self.rules ?? ResponseRules()).failing(failure))
    }

    package func with(rules: ResponseRules) -> ResponseDecoder {
        ResponseDecoder(rules: rules, json: json, read: read)
    }
}

extension ResponseDecoder where Response == Void {
    /// Ignores the body.
    public static var none: ResponseDecoder { .reading { _, _ in } }
}

extension ResponseDecoder where Response: ExpressibleByNilLiteral {
    /// Ignores the body and returns `nil`, such as for a status that means “not there”.
    public static var none: ResponseDecoder { .reading { _, _ in nil } }
}

extension ResponseDecoder where Response == Data {
    /// The bytes of the body.
    public static var data: ResponseDecoder { .reading { _, data in data } }
}

extension ResponseDecoder where Response == String {
    /// Text in the `charset` of the response's media type, or in UTF-8 (RFC 9110 §8.3.2).
    ///
    /// Supports US-ASCII, ISO-8859-1, UTF-8, UTF-16 and UTF-32. With the whole of Foundation (the trait
    /// `FullFoundation`) also the rest of ISO-8859, Windows-1250 to 1258, Shift_JIS and a few others. For any other
    /// charset UTF-8 is tried. Throws ``ResponseError/Code/decoding`` if the body isn't text in this encoding. A byte
    /// order mark isn't part of the text.
    public static var text: ResponseDecoder {
        .reading { head, data in
            guard let charset = head.mediaType?.parameters.first(where: { $0.name == "charset" })?.value else {
                return try decoded(data, as: .utf8, head)
            }
            let encoding = Charset.encoding(named: charset)
            let note = encoding == nil ? ", the fallback for the unsupported charset \(Redaction.quoted(charset))" : ""
            return try decoded(data, as: encoding ?? .utf8, head, note)
        }
    }

    /// Text in an encoding, whatever the media type. Throws ``ResponseError/Code/decoding`` if the body isn't text in
    /// this encoding.
    public static func text(encoding: String.Encoding) -> ResponseDecoder {
        .reading { head, data in try decoded(data, as: encoding, head) }
    }

    private static func decoded(
        _ data: Data,
        as encoding: String.Encoding,
        _ head: ResponseHead,
        _ note: String = ""
    ) throws -> String {
        guard let text = String(data: data, encoding: encoding) else {
            let reason = CocoaError(.fileReadInapplicableStringEncoding)
            throw ResponseError.decoding("text in \(encoding)\(note)", head, data, reason)
        }
        // Foundation keeps the mark of encodings that name their byte order.
        guard text.unicodeScalars.first == "\u{FEFF}" else { return text }
        return String(text.unicodeScalars.dropFirst())
    }
}

extension ResponseDecoder {
    /// Returns a decoder that transforms the value.
    ///
    /// ```swift
    /// let count = api.get(
    ///     ResponseDecoder.json([User].self).map { $0.count },
    ///     from: "/users"
    /// )
    /// ```
    ///
    /// - Parameter transform: Its errors are rethrown.
    public func map<New>(_ transform: @escaping @Sendable (Response) throws -> New) -> ResponseDecoder<New> {
        ResponseDecoder<New>(rules: rules) { [read] in try read($0, $1, $2).map(transform) }
    }

    /// Returns a decoder that transforms the value and may wait.
    ///
    /// Only a client can run it: ``decode(_:_:)`` throws ``RequestError/Code/asynchronousDecoding``.
    ///
    /// - Parameter transform: Its errors are rethrown.
    public func asyncMap<New>(
        _ transform: @escaping @Sendable (Response) async throws -> New
    ) -> ResponseDecoder<New> {
        ResponseDecoder<New>(rules: rules) { [read] in try read($0, $1, $2).asyncMap(transform) }
    }

    /// Returns a decoder that passes each value to a closure before the caller gets it.
    ///
    /// - Parameter action: Its errors are rethrown instead of returning the value.
    public func onDecoded(_ action: @escaping @Sendable (Response) throws -> Void) -> ResponseDecoder {
        map { value in
            try action(value)
            return value
        }
    }

    /// A decoder that returns `nil` for a response without content: an empty body, or the status 204, 205 or 304.
    ///
    /// Accepts 304, the response to a conditional request, even if the client doesn't.
    ///
    /// Specification: RFC 9110 §6.4.1, §15.4.5.
    public var optional: ResponseDecoder<Response?> {
        let rules = (rules ?? ResponseRules()).acceptingAlso { $0.statusCode == 304 }
        return ResponseDecoder<Response?>(rules: rules) { [read] head, data, json in
            guard !data.isEmpty, ![204, 205, 304].contains(head.statusCode) else { return .value(nil) }
            return try read(head, data, json).map { $0 }
        }
    }

    /// Returns a decoder that tries another decoder if this one fails.
    ///
    /// This decoder decides which responses are accepted.
    public func fallback<Other>(to other: ResponseDecoder<Other>) -> ResponseDecoder<Fallback<Response, Other>> {
        ResponseDecoder<Fallback<Response, Other>>(rules: rules) { [read] head, data, json in
            try .recovering {
                try read(head, data, json).map { .primary($0) }
            } from: { error in
                try other.read(head, data, json).map { .fallback($0, because: error) }
            }
        }
    }
}

/// The result of ``ResponseDecoder/fallback(to:)``.
public enum Fallback<Primary: Sendable, Other: Sendable>: Sendable {
    /// The value of the first decoder.
    case primary(Primary)
    /// The value of the other decoder, and the first one's error.
    case fallback(Other, because: any Error)
}

/// The result of a decoder: a value, or one that has to be awaited.
///
/// Decoders that don't wait can be run without a task. With this type every combinator is written once for both kinds.
package enum Decoding<Value: Sendable>: Sendable {
    case value(Value)
    case pending(@Sendable () async throws -> Value)

    /// The value, awaited if necessary.
    package var awaited: Value {
        get async throws {
            switch self {
            case .value(let value): return value
            case .pending(let wait): return try await wait()
            }
        }
    }

    package func map<New>(_ transform: @escaping @Sendable (Value) throws -> New) throws -> Decoding<New> {
        switch self {
        case .value(let value): .value(try transform(value))
        case .pending: .pending { try transform(await awaited) }
        }
    }

    func asyncMap<New>(_ transform: @escaping @Sendable (Value) async throws -> New) -> Decoding<New> {
        .pending { try await transform(awaited) }
    }

    /// Replaces an error, now or later, except a cancellation.
    static func recovering(
        _ decode: () throws -> Decoding,
        from recover: @escaping @Sendable (any Error) throws -> Decoding
    ) throws -> Decoding {
        do {
            let decoding = try decode()
            guard case .pending = decoding else { return decoding }
            return .pending {
                do {
                    return try await decoding.awaited
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    return try await recover(error).awaited
                }
            }
        } catch {
            return try recover(error)
        }
    }
}
