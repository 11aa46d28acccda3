import Requests

/// The API's description of a failure (RFC 9457).
package struct Problem: Error, Decodable {
    package var title: String
}

/// The errors of ``Notes`` that callers can handle.
package enum NotesError: Error, Equatable {
    /// The note doesn't exist.
    case notFound
    /// Another client has changed the note.
    case conflict
    /// The token is invalid or has expired.
    case unauthorized
    /// The server rejected the request for this reason.
    case rejected(String)
    /// The server couldn't be reached, or its response was incomplete.
    case unreachable(TransportError.Code)
    /// The response doesn't match the API.
    case invalidResponse(String)

    /// Converts an error of the client.
    ///
    /// - Throws: Any other error unchanged, such as `CancellationError` and programming mistakes.
    init(_ error: any Error) throws {
        switch error {
        case let error as ResponseError where error.code == .status:
            let status = error.head.statusCode
            let known: [Int: NotesError] = [401: .unauthorized, 404: .notFound, 412: .conflict]
            self = known[status] ?? .rejected((error.underlying as? Problem)?.title ?? "status \(status)")
        case let error as ResponseError: self = .invalidResponse(error.message)
        case let error as TransportError: self = .unreachable(error.code)
        default: throw error
        }
    }
}
