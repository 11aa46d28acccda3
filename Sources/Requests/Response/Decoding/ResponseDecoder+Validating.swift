import Foundation

extension ResponseDecoder {
    /// Takes these statuses and no others, in place of those that the client accepts.
    ///
    /// ```swift
    /// let decoder = ResponseDecoder.json(encoded: User.self).validating(status: [200, 404])
    /// ```
    ///
    /// Others are ``ResponseError/Code/status``.
    public func validating(status statuses: some Sequence<Int>) -> ResponseDecoder {
        let statuses = Set(statuses)
        return with(rules: (rules ?? DecodingRules()).accepting { statuses.contains($0.statusCode) })
    }

    /// Takes these media types and no others; parameters do not count.
    ///
    /// A response without `Content-Type`, or with another, is ``ResponseError/Code/contentType``.
    public func validating(contentType types: MediaType...) -> ResponseDecoder {
        let check: @Sendable (ResponseHead, Data) throws -> Void = { head, data in
            let type = head.header[.contentType].flatMap { MediaType($0) }
            guard !types.contains(where: { type?.matches($0) == true }) else { return }
            throw ResponseError(
                code: .contentType,
                head: head,
                data: data,
                message: "\(head.url) answered with \(type.map { Redaction.escaped("\($0)") } ?? "no media type"), not "
                    + types.map { "\($0)" }.joined(separator: " or ")
            )
        }
        return ResponseDecoder(isAsynchronous: isAsynchronous, rules: rules) { head, data, json in
            try check(head, data)
            return try value(head, data, json)
        } later: { head, data, json in
            try check(head, data)
            return try await awaitedValue(head, data, json)
        }
    }

    /// Reads what the API says about a failure, from the JSON of a response whose status is not accepted.
    ///
    /// ```swift
    /// do {
    ///     user = try await client.send(api.get(.json(encoded: User.self).errors(as: Problem.self), from: "/me"))
    /// } catch let error as ResponseError {
    ///     print((error.underlying as? Problem)?.title ?? error.message)
    /// }
    /// ```
    ///
    /// It is the ``ResponseError/underlying`` error of the ``ResponseError/Code/status`` one, which keeps head and
    /// bytes; `nil` where the body is something else.
    ///
    /// - Parameters:
    ///   - type: What the API sends.
    ///   - decoder: The decoder; by default that of the API's ``RequestProviding/coders``.
    public func errors<Failure: Error & Decodable>(
        as type: Failure.Type,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder {
        with(
            rules: (rules ?? DecodingRules()).failing { data, json in
                try? (decoder ?? json).decode(Failure.self, from: data)
            }
        )
    }

    /// Reads a response in the way that its status calls for.
    ///
    /// ```swift
    /// let decoder: ResponseDecoder<User?> = .oneOf(status: [
    ///     200: ResponseDecoder.json(encoded: User.self).optional, 404: ResponseDecoder.none.map { nil },
    /// ])
    /// ```
    ///
    /// Other statuses are ``ResponseError/Code/status``, whatever the client accepts. What the API says about such a
    /// failure is read as any of the decoders reads it with ``errors(as:decoder:)``, the one of the lowest status first.
    /// The statuses that they take by themselves (``validating(status:)``) do not count.
    public static func oneOf(status decoders: [Int: ResponseDecoder]) -> ResponseDecoder {
        let failures = decoders.sorted { $0.key < $1.key }.compactMap(\.value.rules?.failure)
        let failure: DecodingRules.Failure = { data, json in failures.lazy.compactMap { $0(data, json) }.first }
        return ResponseDecoder(
            isAsynchronous: decoders.values.contains { $0.isAsynchronous },
            rules: DecodingRules(
                accepts: { decoders[$0.statusCode] != nil },
                failure: failures.isEmpty ? nil : failure
            )
        ) { head, data, json in
            guard let decoder = decoders[head.statusCode] else { throw ResponseError.status(head, data) }
            return try decoder.value(head, data, json)
        } later: { head, data, json in
            guard let decoder = decoders[head.statusCode] else { throw ResponseError.status(head, data) }
            return try await decoder.awaitedValue(head, data, json)
        }
    }
}
