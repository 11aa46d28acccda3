import Requests

/// What the API says about a failure (RFC 9457).
package struct Problem: Error, Decodable {
    package var title: String
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

    /// - Throws: `CancellationError`, which is not a failure, what is a mistake of the program, and errors of this type.
    init(_ error: any Error) throws {
        switch error {
        case let error as ResponseError where error.code == .status:
            let status = error.head.statusCode
            let known: [Int: NotesError] = [401: .unauthorized, 404: .notFound, 412: .changedMeanwhile]
            self = known[status] ?? .refused((error.underlying as? Problem)?.title ?? "status \(status)")
        case let error as ResponseError: self = .unreadable(error.message)
        case let error as TransportError: self = .unreachable(error.code)
        default: throw error
        }
    }
}
