import Requests
import RequestsSystem

/// The file with which a later program continues an upload.
///
/// It is locked while the upload runs, and replaced as a whole by a file that is locked as well.
struct UploadState {
    /// The lines of the file, without credentials. The URL of the upload resource is a secret itself.
    private struct Entry {
        static let title = "Requests upload \(interopVersion)"
        let resource: RequestURL
        /// A digest of the request's method and URL, whose query may contain secrets.
        let request: String
        let length: Int64
        let fingerprint: String

        init(_ resource: RequestURL, _ request: PreparedRequest, _ length: Int64) {
            let text = "\(request.method.rawValue) \(request.url.text)"
            self.resource = resource
            self.request = Data(SHA2.sha256(Array(text.utf8))).base64EncodedString()
            self.length = length
            fingerprint = request.body.fingerprint ?? ""
        }

        init?(_ data: Data) {
            let text = String(validating: data, as: UTF8.self) ?? ""
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            guard lines.count == 5, lines[0] == Entry.title, let resource = try? RequestURL(lines[1]),
                let length = Int64(lines[3])
            else { return nil }
            (self.resource, request, self.length, fingerprint) = (resource, lines[2], length, lines[4])
        }

        var data: Data {
            Data([Entry.title, resource.text, request, "\(length)", fingerprint].joined(separator: "\n").utf8)
        }
    }

    private let path: String
    private let request: PreparedRequest
    private let length: Int64
    /// The open file, which holds the lock until it is closed.
    private var file: OpenFile
    /// The upload resource in the file. `nil` if the file is empty.
    private(set) var resource: RequestURL?

    /// Opens, locks and reads the file, or creates it.
    ///
    /// - Throws: A reason that ends a sentence about the file.
    init(_ url: URL, for request: PreparedRequest, length: Int64) throws(UploadFault) {
        guard url.isFileURL else { throw UploadFault("has no file URL. Use URL(filePath:)") }
        (path, self.request, self.length) = (url.path, request, length)
        do throws(POSIXError) {
            file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            throw UploadFault("can't be opened: \(error.systemMessage ?? "unknown error")")
        }
        guard file.status.map(FileStatus.init)?.isOwn == true else {
            throw UploadFault("isn't a regular file of this user. Choose another name")
        }
        guard file.lock(at: path) else { throw UploadFault("another upload is using. Wait for its end") }
        do throws(UploadFault) {
            try read()
        } catch {
            leave(isOver: false)
            throw error
        }
    }

    private mutating func read() throws(UploadFault) {
        guard let data = try? file.read(upTo: 64 << 10, at: 0) else { return }
        guard let entry = Entry(data) else {
            throw UploadFault("isn't the state of an upload. Remove the file, or choose another name")
        }
        fchmod(file.descriptor, 0o600)
        let own = Entry(entry.resource, request, length)
        guard entry.request == own.request else {
            throw UploadFault("belongs to a request with another method or URL")
        }
        guard entry.length == length else {
            throw UploadFault("belongs to a body of \(entry.length) bytes, but the body has \(length)")
        }
        guard entry.fingerprint == own.fingerprint else {
            throw UploadFault("belongs to a body with other content, or to a file before it was modified")
        }
        resource = entry.resource
    }

    /// Stores an upload resource, or `nil` if there is none any more.
    mutating func write(_ resource: RequestURL?) throws(UploadFault) {
        let new = path + ".new"
        do throws(POSIXError) {
            self.resource = resource
            guard let resource else { return try file.truncate() }
            // Left by a program that ended while it wrote.
            try FileStatus.remove(new)
            let replacement = try OpenFile(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
            try replacement.write(Entry(resource, request, length).data)
            guard replacement.lock(at: new), unsafe rename(new, path) == 0 else { throw .last }
            file = replacement
        } catch {
            throw UploadFault("can't be written: \(error.systemMessage ?? "unknown error")")
        }
    }

    /// Closes the file. Removes it if the upload has ended, or if there is nothing to continue.
    func leave(isOver: Bool) {
        if isOver || file.status?.st_size == 0 { try? FileStatus.remove(path) }
        file.unlock()
    }
}

/// Why a state can't be used: the end of a sentence about its file.
struct UploadFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
