import Foundation

extension RequestBody {
    /// Makes a stream over the body. Returns `nil` for a body in memory and for a sequence.
    package func makeInputStream() -> InputStream? {
        switch source {
        case .none, .data, .sequence, .invalid: nil
        case .file, .stream, .opener, .joined: BodyInputStream(self)
        }
    }

    /// Throws if a `URLRequest` can't have this body.
    func checkFoundationSupport() throws(RequestError) {
        try validate()
        if case .sequence = source { throw .sequenceInStream }
    }
}

extension RequestError {
    static let sequenceInStream = RequestError(
        code: .unsupportedBody,
        subject: "body",
        message: "A URLRequest can't wait for a sequence of chunks. Use a stream or a file."
    )
}
