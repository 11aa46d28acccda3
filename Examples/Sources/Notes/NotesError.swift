import Requests

/// What the API says about a failure.
///
/// Specification: RFC 9457.
package struct Problem: Error, Codable, Equatable {
    package var title: String

    package init(title: String) {
        self.title = title
    }
}

/// What can go wrong, in the words of this API: all that its callers have to tell apart.
package enum NotesError: Error, Equatable {
    /// There is no such note.
    case notFound
    /// Somebody else has changed the note meanwhile.
    case changedMeanwhile
    /// The token is not valid, or not any more.
    case unauthorized
    /// The server refuses, and says why.
    case refused(String)
    /// The server was not reached, or gave no whole answer.
    case unreachable(TransportError.Code)
    /// The answer is not one of this API.
    case unreadable(String)

    /// - Throws: `CancellationError`, which is not a failure, and what is a mistake of the program.
    init(_ error: any Error) throws {
        switch error {
        case let error as ResponseError where error.code == .status:
            self = NotesError(status: error.head.statusCode, problem: error.underlying as? Problem)
        case let error as ResponseError: self = .unreadable(error.message)
        case let error as TransportError: self = .unreachable(error.code)
        default: throw error
        }
    }

    private init(status: Int, problem: Problem?) {
        self =
            switch status {
            case 401: .unauthorized
            case 404: .notFound
            case 412: .changedMeanwhile
            default: .refused(problem?.title ?? "status \(status)")
            }
    }
}
