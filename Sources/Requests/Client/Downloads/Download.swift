import Foundation

/// A body on its way to a file.
struct Download {
    let partial: PartialFile
    /// What is there of an earlier time.
    let start: (count: Int64, validator: String)?
    private let file: URL
    private let isResumable: Bool
    private let progress: (@Sendable (Int64, Int64?) -> Void)?

    init(to file: URL, isResumable: Bool, progress: (@Sendable (Int64, Int64?) -> Void)?) {
        self.file = file
        self.partial = PartialFile(for: file)
        self.start = isResumable ? partial.start : nil
        self.isResumable = isResumable
        self.progress = progress
    }

    /// Asks for what is still to come.
    func prepare(_ request: inout PreparedRequest) {
        guard isResumable else { return }
        // A part of a coded body cannot be decoded.
        request.header.set(Field(name: .acceptEncoding, value: "identity"))
        guard let start else { return }
        request.header.set(.range(bytes: start.count...))
        request.header.set(Field(name: .ifRange, value: start.validator))
    }

    /// Whether nothing is still to come: the server has no more than what is there.
    func isWhole(after head: ResponseHead) -> Bool {
        guard head.statusCode == 416, let start else { return false }
        return ContentRange(head.header["Content-Range"])?.total == start.count
    }

    func write(_ response: Response<ResponseBody>) async throws {
        let head = response.head
        let range = head.statusCode == 206 ? ContentRange(head.header["Content-Range"]) : nil
        guard head.statusCode != 206 || start != nil && range?.start == start?.count else {
            throw fault("is a part that was not asked for", head)
        }
        let handle = try writing(head) {
            try partial.open(isContinued: range != nil, validator: isResumable ? head.validator : nil)
        }
        defer { try? handle.close() }
        var received = range?.start ?? 0
        let total = range?.total ?? head.expectedBytes(to: .get)
        progress?(received, total)
        for try await chunk in response.content {
            try writing(head) { try handle.write(contentsOf: chunk) }
            received += Int64(chunk.count)
            progress?(received, total)
        }
        if let whole = range?.total, whole != received { throw fault("has \(received) bytes of \(whole)", head) }
    }

    /// Runs what touches the file, and says which file it was when that fails.
    func writing<Result>(_ head: ResponseHead, _ body: () throws -> Result) throws(ClientError) -> Result {
        do {
            return try body()
        } catch {
            throw fault("cannot be written", head, error)
        }
    }

    private func fault(_ reason: String, _ head: ResponseHead, _ underlying: (any Error)? = nil) -> ClientError {
        ClientError(
            code: .downloadFailed,
            message: "the file \(Redaction.quoted(file.path)) of \(head) \(reason)",
            history: [head],
            underlying: underlying
        )
    }
}

extension ResponseHead {
    /// What a part can be asked for with later: an entity tag that is not weak, or a date (RFC 9110 §13.1.5).
    fileprivate var validator: String? {
        if header.contains(.contentEncoding) { return nil }
        guard let tag = header[.eTag] else { return header[.lastModified] }
        return tag.utf8.first == UInt8(ascii: "\"") ? tag : nil
    }
}
