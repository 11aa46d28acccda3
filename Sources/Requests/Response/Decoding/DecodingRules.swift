import Foundation

/// Which responses a decoder takes, and what it makes of the others.
@usableFromInline final class DecodingRules: Sendable {
    /// Whether a response is taken; `nil` leaves that to the client.
    private let accepts: (@Sendable (ResponseHead) -> Bool)?

    /// Whether a response is taken that the client does not accept.
    private let acceptsAlso: (@Sendable (ResponseHead) -> Bool)?

    /// Reads what the API says about a failure; `nil` where it says nothing that can be read.
    let failure: Failure?

    typealias Failure = @Sendable (Data, JSONDecoder) -> (any Error)?

    init(
        accepts: (@Sendable (ResponseHead) -> Bool)? = nil,
        acceptsAlso: (@Sendable (ResponseHead) -> Bool)? = nil,
        failure: Failure? = nil
    ) {
        self.accepts = accepts
        self.acceptsAlso = acceptsAlso
        self.failure = failure
    }

    func accepting(_ accepts: @escaping @Sendable (ResponseHead) -> Bool) -> DecodingRules {
        DecodingRules(accepts: accepts, failure: failure)
    }

    func acceptingAlso(_ acceptsAlso: @escaping @Sendable (ResponseHead) -> Bool) -> DecodingRules {
        let former = self.acceptsAlso
        return DecodingRules(
            accepts: accepts,
            acceptsAlso: { former?($0) == true || acceptsAlso($0) },
            failure: failure
        )
    }

    func failing(_ failure: @escaping Failure) -> DecodingRules {
        DecodingRules(accepts: accepts, acceptsAlso: acceptsAlso, failure: failure)
    }

    func reading(with json: JSONDecoder) -> DecodingRules {
        guard let failure else { return self }
        return failing { data, _ in failure(data, json) }
    }

    /// - Parameter otherwise: What decides where the decoder does not.
    /// - Throws: ``ResponseError/Code/status`` for a response that is not taken.
    func check(
        _ head: ResponseHead,
        _ data: Data,
        _ json: JSONDecoder,
        otherwise: (ResponseHead) -> Bool = { _ in true }
    ) throws(ResponseError) {
        guard accepts(head, otherwise: otherwise) else { throw .status(head, data, failure?(data, json)) }
    }

    func accepts(_ head: ResponseHead, otherwise: (ResponseHead) -> Bool) -> Bool {
        accepts?(head) ?? (otherwise(head) || acceptsAlso?(head) == true)
    }
}
