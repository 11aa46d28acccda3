import Requests
import RequestsTesting
import Testing

extension PreparedRequest {
    /// Checks that the request has no `difference(from:)` another one.
    ///
    /// If they differ, records an issue with the differences and attaches both requests without credentials.
    ///
    /// - Parameters:
    ///   - expected: The expected request.
    ///   - sourceLocation: The source location for the issue. Default: the caller's.
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

    /// Checks that the body is JSON with a value. Whitespace and the order of members are ignored.
    ///
    /// If it differs, records an issue with a line for each difference, without credentials.
    ///
    /// - Parameters:
    ///   - value: The expected value.
    ///   - sourceLocation: The source location for the issue. Default: the caller's.
    public func expectBody(json value: JSONValue, sourceLocation: SourceLocation = #_sourceLocation) {
        var expected = self
        expected.body = .data(Data(value.description.utf8)).made(from: body)
        let difference = difference(from: expected)
        if !difference.isEmpty { Issue.record("The body differs:\n\(difference)", sourceLocation: sourceLocation) }
    }
}
