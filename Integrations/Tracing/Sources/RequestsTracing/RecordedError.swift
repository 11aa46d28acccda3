import Requests

/// An error as it is recorded. The descriptions of this library's errors contain no secrets. Of other errors, only the
/// type is kept.
struct RecordedError: Error, CustomStringConvertible {
    /// The code of one of this library's errors, or the type of another error.
    let code: String

    /// The name of the error's type.
    let type: String

    let description: String

    init(_ error: any Error) {
        type = "\(Swift.type(of: error))"
        (code, description) =
            switch error {
            case let error as TransportError: (error.code.rawValue, error.description)
            case let error as RequestError: (error.code.rawValue, error.description)
            case let error as ClientError: (error.code.rawValue, error.description)
            case let error as ResponseError: (error.code.rawValue, error.description)
            default: (type, type)
            }
    }
}
