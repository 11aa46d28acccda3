import Requests
import RequestsSystem

/// The file with which a later program continues an upload.
///
/// It contains no credentials, but the URL of the upload resource is a secret itself. It is locked while the upload
/// runs, and replaced as a whole by a file that is locked as well.
struct UploadState {
    private let requests: UploadRequests
    private let path: String
    /// The first lines, and what another line says about the file.
    private let lines: [(text: String, fault: String)]
    /// The open file, which holds the lock until it is closed.
    private var file: OpenFile
    /// The upload resource in the file. `nil` if the file is empty.
    private(set) var resource: RequestURL?

    /// Opens, locks and reads the file, or creates it.
    ///
    /// - Throws: `ClientError.Code.uploadFailed`.
    init(_ url: URL, _ requests: UploadRequests) throws(ClientError) {
        (self.requests, path, lines) = (requests, url.path, UploadState.lines(for: requests.original))
        guard url.isFileURL else { throw requests.failure(ofState: path, "has no file URL. Use URL(filePath:)") }
        let data: Data?
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
        if let data { resource = try resource(in: data) }
    }

    /// - Throws: `ClientError.Code.uploadFailed` if the file belongs to another upload.
    private func resource(in data: Data) throws(ClientError) -> RequestURL {
        let stored = (String(validating: data, as: UTF8.self) ?? "").split(separator: "\n").map(String.init)
        for (line, own) in zip(stored, lines) where line != own.text {
            throw requests.failure(ofState: path, own.fault)
        }
        guard stored.count == lines.count + 1, let resource = try? RequestURL(stored[lines.count]) else {
            throw requests.failure(ofState: path, lines[0].fault)
        }
        return resource
    }

    private static func lines(for request: PreparedRequest) -> [(text: String, fault: String)] {
        // The URL's query may contain secrets.
        let target = Data(SHA2.sha256(Array("\(request.method.rawValue) \(request.url.text)".utf8)))
        return [
            (
                "Requests upload \(interopVersion)",
                "isn't the state of an upload. Remove the file, or choose another name"
            ),
            (target.base64EncodedString(), "belongs to a request with another method or URL"),
            ("\(request.body.length ?? 0)", "belongs to a body with another length than \(request.body)"),
            (request.body.fingerprint ?? "", "belongs to a body with other content, or a file before it was modified"),
        ]
    }

    /// Stores an upload resource, or `nil` if there is none any more.
    mutating func write(_ resource: RequestURL?) throws(ClientError) {
        let new = "\(path).\(UUID().uuidString)"
        do throws(POSIXError) {
            self.resource = resource
            guard let resource else { return try file.truncate() }
            let replacement = try OpenFile(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
            try replacement.write(Data((lines.map(\.text) + [resource.text]).joined(separator: "\n").utf8))
            guard replacement.lock(at: new), unsafe rename(new, path) == 0 else { throw .last }
            file = replacement
        } catch {
            try? FileStatus.remove(new)
            throw requests.failure(ofState: path, "can't be written: \(error.systemMessage ?? "unknown error")")
        }
    }

    /// Closes the file. Removes it if the upload has ended, or if there is nothing to continue.
    func leave(isOver: Bool) {
        if isOver || file.status?.st_size == 0, file.isNamed(path) { try? FileStatus.remove(path) }
        file.unlock()
    }
}
