extension ResponseDecoder {
    /// Returns a decoder that accepts these statuses only, whatever the client accepts.
    ///
    /// ```swift
    /// let decoder = ResponseDecoder.json(User.self).validating(status: [200, 404])
    /// ```
    ///
    /// Any other status throws ``ResponseError/Code/status``.
    public func validating(status statuses: some Sequence<Int>) -> ResponseDecoder {
        let statuses = Set(statuses)
        return with(rules: (rules ?? ResponseRules()).accepting { statuses.contains($0.statusCode) })
    }

    /// Returns a decoder that accepts these media types only, whatever their parameters.
    ///
    /// Throws ``ResponseError/Code/contentType`` if `Content-Type` is missing or different.
    public func validating(contentType types: MediaType...) -> ResponseDecoder {
        let check: @Sendable (ResponseHead, Data) throws -> Void = { head, data in
            let type = head.mediaType
            guard !types.contains(where: { type?.matches($0) == true }) else { return }
            let returned = type.map { Redaction.escaped("\($0)") } ?? "no media type"
            throw ResponseError(
                code: .contentType,
                head: head,
                data: data,
                message: "\(head.url) returned \(returned) instead of "
                    + types.map { "\($0)" }.joined(separator: " or ") + "."
            )
        }
        return ResponseDecoder(rules: rules) { [read] head, data, json in
            try check(head, data)
            return try read(head, data, json)
        }
    }

    /// Returns a decoder that reads the API's description of a failure from JSON, if the status isn't accepted.
    ///
    /// ```swift
    /// do {
    ///     user = try await client.send(
    ///         api.get(
    ///             .json(User.self).decodingErrors(as: Problem.self),
    ///             from: "/me"
    ///         )
    ///     )
    /// } catch let error as ResponseError {
    ///     print((error.underlying as? Problem)?.title ?? error.message)
    /// }
    /// ```
    ///
    /// The description is the ``ResponseError/underlying`` error of ``ResponseError/Code/status``, or `nil` if the body
    /// can't be decoded.
    ///
    /// - Parameters:
    ///   - type: The type of the description.
    ///   - decoder: The decoder. Default: the decoder of the API's ``RequestProviding/coders``.
    public func decodingErrors<Failure: Error & Decodable>(
        as type: Failure.Type,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder {
        with(
            rules: (rules ?? ResponseRules()).failing { _, data, json in
                try? (decoder ?? json).decodeLimited(Failure.self, from: data)
            }
        )
    }

    /// A decoder that selects another one by the response's status.
    ///
    /// ```swift
    /// let user = api.get(
    ///     .oneOf(status: [200: .json(User?.self), 404: .none]),
    ///     from: "/users/7"
    /// )
    /// ```
    ///
    /// Any other status throws ``ResponseError/Code/status``, whatever the client accepts. The description of a failure
    /// is read by the first decoder that can (``decodingErrors(as:decoder:)``), in the order of the statuses. Statuses
    /// that the decoders accept by themselves (``validating(status:)``) don't count.
    public static func oneOf(status decoders: [Int: ResponseDecoder]) -> ResponseDecoder {
        let failures = decoders.sorted { $0.key < $1.key }.compactMap(\.value.rules?.failure)
        let failure: ResponseRules.Failure = { head, data, json in
            failures.lazy.compactMap { $0(head, data, json) }.first
        }
        let rules = ResponseRules(
            accepts: { decoders[$0.statusCode] != nil },
            failure: failures.isEmpty ? nil : failure
        )
        return ResponseDecoder(rules: rules) { head, data, json in
            guard let decoder = decoders[head.statusCode] else { throw ResponseError.status(head, data) }
            return try decoder.read(head, data, json)
        }
    }
}
