/// Which responses a call accepts, and how it reads the others.
package struct ResponseValidation: Sendable {
    private let rules: ResponseRules?
    private let accepts: @Sendable (ResponseHead) -> Bool
    package let maximumBodyBytes: Int
    /// Adds what is known about the call to an error.
    private let describe: @Sendable (ResponseError) -> ResponseError

    /// Creates a validation. Without arguments it accepts the statuses 200 to 299.
    package init(
        rules: ResponseRules? = nil,
        accepts: @escaping @Sendable (ResponseHead) -> Bool = { $0.status.isSuccess },
        maximumBodyBytes: Int = 64 << 20,
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
