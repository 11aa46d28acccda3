/// Which responses a decoder accepts, and how it reads the others.
package final class ResponseRules: Sendable {
    /// Reads the server's description of a failure. `nil` if the body has none.
    package typealias Failure = @Sendable (ResponseHead, Data, JSONDecoder) -> (any Error)?

    /// Whether a response is accepted. `nil` leaves the decision to the client.
    private let accepts: (@Sendable (ResponseHead) -> Bool)?

    /// Whether a response is accepted although the client rejects it.
    private let acceptsAlso: (@Sendable (ResponseHead) -> Bool)?

    package let failure: Failure?

    package init(
        accepts: (@Sendable (ResponseHead) -> Bool)? = nil,
        acceptsAlso: (@Sendable (ResponseHead) -> Bool)? = nil,
        failure: Failure? = nil
    ) {
        self.accepts = accepts
        self.acceptsAlso = acceptsAlso
        self.failure = failure
    }

    func accepting(_ accepts: @escaping @Sendable (ResponseHead) -> Bool) -> ResponseRules {
        ResponseRules(accepts: accepts, failure: failure)
    }

    func acceptingAlso(_ acceptsAlso: @escaping @Sendable (ResponseHead) -> Bool) -> ResponseRules {
        ResponseRules(
            accepts: accepts,
            acceptsAlso: { [previous = self.acceptsAlso] in previous?($0) == true || acceptsAlso($0) },
            failure: failure
        )
    }

    func failing(_ failure: @escaping Failure) -> ResponseRules {
        ResponseRules(accepts: accepts, acceptsAlso: acceptsAlso, failure: failure)
    }

    func reading(with json: JSONDecoder) -> ResponseRules {
        guard let failure else { return self }
        return failing { head, data, _ in failure(head, data, json) }
    }

    /// - Parameter validation: Decides if the decoder doesn't.
    package func accepts(_ head: ResponseHead, or validation: (ResponseHead) -> Bool) -> Bool {
        accepts?(head) ?? (validation(head) || acceptsAlso?(head) == true)
    }

    /// - Throws: ``ResponseError/Code/status`` if the response isn't accepted.
    package func check(
        _ head: ResponseHead,
        _ data: Data,
        _ json: JSONDecoder,
        or validation: (ResponseHead) -> Bool = { _ in true }
    ) throws(ResponseError) {
        guard accepts(head, or: validation) else { throw .status(head, data, failure?(head, data, json)) }
    }
}

/// Which responses a call accepts, and how it reads the others.
package struct ResponseValidation: Sendable {
    private let rules: ResponseRules?
    private let accepts: @Sendable (ResponseHead) -> Bool
    package let maximumBodyBytes: Int
    /// Completes an error with the method and the hint of its call.
    private let describe: @Sendable (ResponseError) -> ResponseError

    /// Creates a validation. Without arguments it accepts the statuses 200 to 299.
    package init(
        rules: ResponseRules? = nil,
        accepts: @escaping @Sendable (ResponseHead) -> Bool = { $0.status.isSuccess },
        maximumBodyBytes: Int = CallOptions.defaultMaximumBodyBytes,
        describe: @escaping @Sendable (ResponseError) -> ResponseError = { $0 }
    ) {
        self.rules = rules
        self.accepts = accepts
        self.maximumBodyBytes = maximumBodyBytes
        self.describe = describe
    }

    package func accepts(_ head: ResponseHead) -> Bool {
        (rules ?? ResponseRules()).accepts(head, or: accepts)
    }

    /// Reads the description of a failure. `nil` if there is none.
    package func failure(in head: ResponseHead, _ data: Data, _ json: JSONDecoder) -> (any Error)? {
        rules?.failure?(head, data, json)
    }

    /// Returns the error for a response that isn't accepted.
    package func rejection(of head: ResponseHead, _ data: Data) -> ResponseError {
        describe(.status(head, data, rules?.failure?(head, data, JSONCoders.standard.decoder)))
    }
}
