import Requests
import RequestsSystem

/// A file that is downloaded.
final class Download: CallFile {
    private struct State {
        var partial: PartialFile
        /// Whether the call has returned. Code of others, which goes on, must not write any more.
        var isOver = false
        /// Whether a request of the call is writing the file. Middleware can send several at the same time.
        var isWriting = false
        /// The number of bytes that this download received. Bytes of an earlier one don't count.
        var receivedBytes: Int64 = 0
        /// The part of them that the current response contained.
        var partBytes: Int64 = 0
    }

    let file: URL
    private let url: RequestURL
    private let canResume: Bool
    private let progress: ProgressReporter?
    private let state: Locked<State>

    /// Claims the partial file, so that no other download writes it.
    init(
        _ request: PreparedRequest,
        to file: URL,
        canResume: Bool,
        progress: ProgressReporter?
    ) throws(ClientError) {
        self.file = file
        self.url = request.url
        self.canResume = canResume
        self.progress = progress
        var partial = PartialFile(for: file, isKept: canResume)
        guard file.isFileURL else {
            throw .download(of: url, to: file, "can't be written because its URL isn't a file URL. Use URL(filePath:)")
        }
        guard !request.header.contains(.range) else {
            throw .download(of: url, to: file, "is always downloaded as a whole. Remove the Range field")
        }
        let isOwn: Bool
        do {
            isOwn = try partial.claim()
        } catch {
            throw .download(of: url, to: file, "can't be written\(error.systemReason)", error)
        }
        guard isOwn else {
            throw .download(of: url, to: file, "is already being downloaded. Wait for that download, or don't resume")
        }
        state = Locked(State(partial: partial))
    }

    var receivedBytes: Int64 { state.withLock { $0.receivedBytes } }

    var partBytes: Int64 { state.withLock { $0.partBytes } }

    func resumption() -> DownloadResumption? {
        canResume ? state.withLock { $0.partial.resumption(for: url) } ?? DownloadResumption() : nil
    }

    @concurrent
    func receive(
        _ body: ResponseBody,
        _ head: ResponseHead,
        _ resumption: DownloadResumption
    ) async throws -> Int64 {
        let isFirst = state.withLock { state in
            guard !state.isWriting else { return false }
            (state.isWriting, state.partBytes) = (true, 0)
            return true
        }
        guard isFirst else { throw fault("is being written by another request of the same call", head) }
        defer { state.withLock { $0.isWriting = false } }
        switch resumption.part {
        case .nothing: body.cancel()
        case .whole:
            try writing(head) { partial in
                try partial.begin(url, validator: resumption.validator, total: resumption.total)
            }
            try await write(body, head, from: 0, upTo: resumption.total ?? .max, total: resumption.total)
        case .rest(let end):
            try await write(body, head, from: resumption.count, upTo: end, total: resumption.total)
        }
        return partBytes
    }

    private func write(
        _ body: ResponseBody,
        _ head: ResponseHead,
        from start: Int64,
        upTo end: Int64 = .max,
        total: Int64?
    ) async throws {
        var count = start
        defer { progress?.finish() }
        progress?.update(count, of: total)
        for try await chunk in body {
            count += Int64(chunk.count)
            guard count <= end else {
                // The bytes before can be wrong, too.
                clear()
                throw fault("has more bytes than were announced, which end at \(end)", head)
            }
            try writing(head) { try $0.append(chunk) }
            state.withLock { state in
                state.partBytes += Int64(chunk.count)
                state.receivedBytes += Int64(chunk.count)
            }
            progress?.update(count, of: total)
        }
        guard state.withLock({ $0.partial.count }) == count else {
            clear()
            throw fault("was changed by another process during the download", head)
        }
    }

    private func clear() { state.withLock { if !$0.isOver { $0.partial.clear() } } }

    var body: ResponseBody { ResponseBody(source: FinishedFile(state.withLock { $0.partial.file })) }

    /// Moves the finished file to its place, or writes the body that middleware made instead.
    @concurrent
    func save(_ response: Response<ResponseBody>) async throws {
        if !response.content.isFinishedFile {
            try writing(response.head) { try $0.begin(url, validator: nil, total: nil) }
            try await write(response.content, response.head, from: 0, total: nil)
        }
        try writing(response.head, isLast: true) { try $0.finish() }
    }

    /// Removes the partial file, unless it can be continued later.
    func leave() {
        state.withLock { state in
            state.isOver = true
            state.partial.leave()
        }
    }

    /// Changes the file under the lock, so that nothing is written after ``leave()``.
    private func writing(
        _ head: ResponseHead,
        isLast: Bool = false,
        _ body: (PartialFile) throws -> Void
    ) throws {
        do {
            try state.withLock { state in
                if state.isOver { throw CancellationError() }
                try body(state.partial)
                state.isOver = isLast
            }
        } catch  where !(error is CancellationError) {
            throw fault("can't be written\(error.systemReason)", head, error)
        }
    }

    private func fault(_ reason: String, _ head: ResponseHead, _ underlying: (any Error)? = nil) -> ClientError {
        .download(of: head.url, to: file, reason, history: [head], underlying)
    }
}

extension ClientError {
    /// - Parameter reason: The rest of a sentence about the file, without its period.
    fileprivate static func download(
        of url: RequestURL,
        to file: URL,
        _ reason: String,
        history: [ResponseHead] = [],
        _ underlying: (any Error)? = nil
    ) -> ClientError {
        ClientError(
            code: .downloadFailed,
            message: "The file \(Redaction.quoted(file.path)) of \(url) \(reason).",
            history: history,
            underlying: underlying
        )
    }
}

extension Error {
    /// A colon and the system's message. Empty for other errors.
    fileprivate var systemReason: String { systemMessage.map { ": \($0)" } ?? "" }
}
