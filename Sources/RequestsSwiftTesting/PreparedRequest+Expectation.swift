import Requests
import RequestsTesting
import Testing

extension PreparedRequest {
    /// Expects the request to equal another one, as `difference(from:)` compares them.
    ///
    /// Otherwise, records an issue with the differences, and attaches both messages without credentials.
    ///
    /// - Parameters:
    ///   - expected: The expected request.
    ///   - sourceLocation: The place of the issue.
    public func expectNoDifference(
        from expected: PreparedRequest,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let difference = difference(from: expected)
        guard !difference.isEmpty else { return }
        Issue.record("The requests differ:\n\(difference)", sourceLocation: sourceLocation)
        Attachment.record(expected.httpMessage(), named: "expected.http", sourceLocation: sourceLocation)
        Attachment.record(httpMessage(), named: "actual.http", sourceLocation: sourceLocation)
    }
}
