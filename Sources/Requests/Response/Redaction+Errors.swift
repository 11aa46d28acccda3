extension Redaction {
    /// An error in words. Those of errors that are not ours may hold secrets: their type has to do.
    package static func reason(_ error: any Error) -> String {
        switch error {
        case is InvalidRequestURLError, is RequestError, is TransportError, is ClientError, is ResponseError:
            "\(error)"
        case is CancellationError: "cancelled"
        default: "\(type(of: error))"
        }
    }
}
