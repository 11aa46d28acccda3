import Requests
import RequestsClient
import RequestsSystem

/// The file with which a later program continues an upload.
///
/// It contains no credentials, but the URL of the upload resource is a secret itself. It is locked while the upload
/// runs, and replaced as a whole by a file that is locked as well.
final class UploadState: Sendable {
    private enum State {
        case closed
        /// The open file, which holds the lock, and its first lines.
        case open(OpenFile, lines: [String])
        /// The call has returned. Its middleware can still run, and must not write any more.
        case over
    }

    private let url: URL
    private var path: String { url.path }
    private let state = Locked(State.closed)

    init(_ url: URL) { self.url = url }

    /// Opens, locks and reads the file, or creates it.
    ///
    /// - Returns: The upload resource in the file, and its protocol. `nil` if the file is new.
    func open(_ requests: UploadRequests) throws -> (resource: RequestURL, form: UploadProtocol)? {
        guard let lines = UploadState.lines(for: requests) else {
            let advice = "Use a body in memory or from one file, without trailers, or no state"
            throw requests.failure("can't be continued by a later program. \(advice)")
        }
        let (file, data) = try lockedFile(requests)
        let stored = (String(validating: data ?? Data(), as: UTF8.self) ?? "").split(separator: "\n").map(String.init)
        for (line, own) in zip(stored, lines) where line != own.text {
            throw requests.failure(ofState: path, own.fault)
        }
        var known: (resource: RequestURL, form: UploadProtocol)?
        if stored.count == lines.count + 2, let form = UploadProtocol(stored[lines.count]) {
            known = (try? RequestURL(stored[lines.count + 1])).map { ($0, form) }
        }
        guard data == nil || known != nil else { throw requests.failure(ofState: path, lines[0].fault) }
        try state.withLock { state in
            guard case .closed = state else { throw CancellationError() }
            state = .open(file, lines: lines.map(\.text))
        }
        return known
    }

    private func lockedFile(_ requests: UploadRequests) throws(ClientError) -> (OpenFile, Data?) {
        guard url.isFileURL else { throw requests.failure(ofState: path, "has no file URL. Use URL(filePath:)") }
        let (file, data): (OpenFile, Data?)
        do throws(POSIXError) {
            file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
            data = try file.read(upTo: 64 << 10, at: 0)
        } catch {
            throw requests.failure(ofState: path, "can't be read: \(error.systemMessage ?? "unknown error")")
        }
        guard file.status.map(FileStatus.init)?.isOwn == true else {
            throw requests.failure(ofState: path, "isn't a regular file of this user. Choose another name")
        }
        guard file.lock(at: path) else {
            throw requests.failure(ofState: path, "another upload is using. Wait for its end")
        }
        return (file, data)
    }

    /// Returns the first lines, and what another line says about the file. `nil` if no later program has the body.
    private static func lines(for requests: UploadRequests) -> [(text: String, fault: String)]? {
        let request = requests.original
        guard let fingerprint = request.body.fingerprint else { return nil }
        // The URL's query may contain secrets.
        let names = [request.method.rawValue, request.url.text] + [requests.resource?.text].compactMap { $0 }
        let target = Data(SHA2.sha256(Array(names.joined(separator: " ").utf8)))
        let title = "Requests upload state 2"
        return [
            (title, "isn't the state of an upload. Remove the file, or choose another name"),
            (target.base64EncodedString(), "belongs to a request with another method or URL"),
            ("\(request.body.length ?? 0)", "belongs to a body with another length than \(request.body)"),
            (fingerprint, "belongs to a body with other content, or a file before it was modified"),
        ]
    }

    /// Stores an upload resource and its protocol, or `nil` if there is none any more.
    func write(_ known: (resource: RequestURL, form: UploadProtocol)?, _ requests: UploadRequests) throws {
        let new = "\(path).\(UUID().uuidString)"
        do {
            try state.withLock { state in
                guard case .open(let file, let lines) = state else { throw CancellationError() }
                guard let known else { return try file.truncate() }
                let replacement = try OpenFile(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
                let all = lines + [known.form.description, known.resource.text]
                try replacement.write(Data(all.joined(separator: "\n").utf8))
                guard replacement.lock(at: new), unsafe rename(new, path) == 0 else { throw POSIXError.last }
                state = .open(replacement, lines: lines)
            }
        } catch let error as POSIXError {
            try? FileStatus.remove(new)
            throw requests.failure(ofState: path, "can't be written: \(error.systemMessage ?? "unknown error")")
        }
    }

    /// Closes the file. Removes it if the upload has ended, or if there is nothing to continue.
    func close(isOver: Bool) {
        state.withLock { state in
            guard case .open(let file, _) = state else { return }
            if isOver || file.status?.st_size == 0, file.isNamed(path) { try? FileStatus.remove(path) }
            file.unlock()
            state = .closed
        }
    }

    /// Closes the file at the end of the call.
    func end() {
        close(isOver: false)
        state.withLock { $0 = .over }
    }
}
