/// The bytes of a body, part after part, read with blocking calls. Each part is opened when its first bytes are read.
package struct BodyBytes {
    private var rest: ArraySlice<RequestBody>
    private var current: RequestBody.Read?
    private let openFile: @Sendable (FileSlice) throws -> sending RequestBody.Read

    /// Starts to read a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - openFile: Opens a file, which this module doesn't do.
    /// - Throws: ``RequestError/Code/bodyAlreadyRead``, or ``RequestError/Code/unsupportedBody`` for a sequence, which
    ///   can't be read with blocking calls.
    package init(
        _ body: RequestBody,
        openFile: @escaping @Sendable (FileSlice) throws -> sending RequestBody.Read
    ) throws(RequestError) {
        try body.useStreams()
        rest = [body]
        self.openFile = openFile
    }

    /// Returns the next bytes, usually at most a number of them, and never empty. `nil` at the end.
    package mutating func next(upTo maximumBytes: Int) throws -> Data? {
        while true {
            if let read = current {
                guard let chunk = try read(maximumBytes) else {
                    current = nil
                    continue
                }
                if !chunk.isEmpty { return chunk }
            } else if let body = rest.popFirst() {
                switch body.source {
                case .data(let data): if !data.isEmpty { return data }
                case .file(let slice): current = try open(slice)
                case .stream(let stream): current = try stream.open()
                case .joined(let bodies): rest = bodies + rest
                case .none, .sequence, .invalid: break
                }
            } else {
                return nil
            }
        }
    }

    private func open(_ slice: FileSlice) throws -> RequestBody.Read {
        // Checked first for a clear error.
        try slice.checkReadable()
        do {
            return try openFile(slice)
        } catch {
            throw RequestError.unreadableFile(slice.url, "it can't be opened")
        }
    }
}

extension RequestBody {
    fileprivate func useStreams() throws(RequestError) {
        switch source {
        case .none, .data, .file: break
        case .stream(let stream): try stream.use()
        case .joined(let bodies): for body in bodies { try body.useStreams() }
        case .sequence: throw .sequenceNotBlocking
        case .invalid(let error): throw error
        }
    }
}

extension RequestError {
    static let sequenceNotBlocking = RequestError(
        code: .unsupportedBody,
        subject: "body",
        message: "An asynchronous body can't be read with blocking calls, as a URLRequest does. Use a stream or a file."
    )
}
