import Foundation

extension Response<ResponseBody> {
    /// Returns the response as it is where its status is accepted, with the body still to be read.
    ///
    /// ```swift
    /// let log = try await client.stream(api.get(.none, from: "/log")).validated()
    /// ```
    ///
    /// Of a response of ``Client/stream(_:)`` it takes and refuses what ``Client/send(_:)`` would: the statuses that the
    /// request's decoder names, or the client's ``Client/Configuration/validation`` accepts, with an error that reads what
    /// the API says about the failure (``Request/errors(as:)``), of a body up to
    /// ``Client/Configuration/maximumBodyBytes``. Any other response is taken with a status of 200 to 299, and its body is
    /// collected up to 64 MiB. Who listens to the client's failures is not told: the call was over with the head.
    ///
    /// - Throws: ``ResponseError/Code/status``; why its body could not be collected, where that is so.
    public func validated() async throws -> Response {
        let judge = content.judge ?? .standard
        guard !judge.accepts(head) else { return self }
        throw try await refusal(upTo: judge.maximumBodyBytes, readBy: judge.rules)
    }

    /// Collects the body of a response that is not taken, and reads what it says, beside the caller's actor.
    @concurrent
    func refusal(upTo maximumBytes: Int, readBy rules: DecodingRules?) async throws -> ResponseError {
        let data = try await content.collect(upTo: maximumBytes)
        return .status(head, data, rules?.failure?(data, JSONCoders.standard.decoder))
    }
}

/// What a client would say to a response that it gave away unread.
final class ResponseJudge: Sendable {
    /// For responses that no client gave away.
    static let standard = ResponseJudge(
        rules: nil,
        validation: { (200..<300).contains($0.statusCode) },
        maximumBodyBytes: 64 << 20
    )

    let rules: DecodingRules?
    let maximumBodyBytes: Int
    private let validation: @Sendable (ResponseHead) -> Bool

    init(rules: DecodingRules?, validation: @escaping @Sendable (ResponseHead) -> Bool, maximumBodyBytes: Int) {
        self.rules = rules
        self.validation = validation
        self.maximumBodyBytes = maximumBodyBytes
    }

    func accepts(_ head: ResponseHead) -> Bool {
        (rules ?? DecodingRules()).accepts(head, otherwise: validation)
    }
}
