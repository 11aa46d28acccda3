import Requests

/// An error in the form that spans record. It keeps the descriptions of this library's errors, which contain no
/// secrets, and only the type of other errors.
struct RecordedError: Error, CustomStringConvertible {
    /// The status that wasn't accepted, the code of this library's errors, or the type of other errors.
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
            case let error as ResponseError where error.code == .status: ("\(error.statusCode)", error.description)
            case let error as ResponseError: (error.code.rawValue, error.description)
            default: (type, type)
            }
    }
}
