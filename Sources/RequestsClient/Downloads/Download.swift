import Foundation
import Requests

/// The state of a download.
struct Download: Sendable {
    let file: URL
    private var partial: PartialFile
    private var hasClaimed = false
    /// Whether a partial file is kept and used. `false` once the server sends a content encoding unasked.
    private var isResumable: Bool
    private let progress: (@Sendable (Int64, Int64?) -> Void)?
    /// Whether the partial file of an earlier download is ignored.
    private var isRestarted = false
    /// The number of bytes received, without the bytes of earlier downloads.
    private(set) var receivedBytes = 0
    /// Whether a body is being written.
    private(set) var isReceiving = false
    /// The partial file that the request asked to continue.
    private var start: PartialFile.Start?
    /// Whether the request can be repeated.
    private var isRepeatable = false

    init(to file: URL, isResumable: Bool, progress: (@Sendable (Int64, Int64?) -> Void)?) {
        self.file = file
        self.partial = PartialFile(for: file, isKept: isResumable)
        self.isResumable = isResumable
        self.progress = progress
    }

    /// Adds the fields that ask for the missing part. Throws if another download writes the same partial file.
    mutating func prepare(_ request: inout PreparedRequest) throws(ClientError) {
        guard file.isFileURL else {
            throw fault("can't be written because its URL isn't a file URL. Use URL(filePath:)", request.url)
        }
        guard !request.header.contains(.range) else {
            throw fault("is always downloaded as a whole. Remove the Range field", request.url)
        }
        try claim(for: request.url)
        isReceiving = false
        isRepeatable = request.isRepeatable && request.body.isReplayable
        start = nil
        guard isResumable else { return }
        // A part of an encoded body can't be decoded.
        request.header.set(.acceptEncoding("identity"))
        if !isRestarted { start = partial.start(of: request.url) }
        if let start {
            request.header.set(.range(bytes: start.count...))
            request.header.set(Field(name: .ifRange, value: start.validator))
        }
    }

    private mutating func claim(for url: RequestURL) throws(ClientError) {
        guard !hasClaimed else { return }
        do {
            hasClaimed = try partial.claim()
        } catch {
            throw fault("can't be written\(error.systemReason)", url, underlying: error)
        }
        if !hasClaimed { throw fault("is already being downloaded. Wait for that download, or don't resume", url) }
    }

    /// Returns the head for the client's validation: a requested part counts as a 200 response.
    func validated(_ head: ResponseHead) throws -> ResponseHead {
        guard start != nil, head.statusCode == 206 else { return head }
        return try ResponseHead(statusCode: 200, header: head.header, url: head.url, httpVersion: head.httpVersion)
    }

    /// Whether the partial file is complete, because the server has no more bytes.
    func isComplete(after head: ResponseHead) -> Bool {
        guard head.statusCode == 416, let start, head.mayBeOfVersion(start.validator) else { return false }
        // The size in an earlier response reveals a shorter version with the same validator.
        return ContentRange(head.header["Content-Range"])?.total == start.count && start.canHave(start.count)
    }

    /// Whether the partial file can't be continued.
    ///
    /// That is the case if the server has another version, sends a part of another version despite `If-Range`
    /// (RFC 9110 §15.3.7.3), sends another part, or sends a part of an encoded body, which has other positions
    /// (RFC 9110 §14.2).
    func cannotContinue(with response: Response<ResponseBody>) -> Bool {
        guard let start else { return false }
        let head = response.head
        if head.statusCode == 416 { return !isComplete(after: head) }
        guard head.statusCode == 206 else { return false }
        return !head.isOfVersion(start.validator) || head.header.contains(.contentEncoding)
            || response.content.isDecoded
            || !(ContentRange(head.header["Content-Range"]).map(start.isContinued(by:)) ?? false)
    }

    /// Ignores the partial file, even if it can't be removed.
    mutating func restart() {
        isRestarted = true
        partial.clear()
    }

    /// Removes the partial file, unless it can be continued later.
    func fail() {
        partial.leave()
    }

    func finish(_ head: ResponseHead) throws(ClientError) {
        try writing(head) { try partial.finish() }
    }

    /// Writes the body to the partial file.
    ///
    /// - Parameter url: The URL of the original request. A redirect may lead to another URL each time.
    /// - Returns: Whether the file is complete. Otherwise the rest must be requested.
    mutating func write(_ response: Response<ResponseBody>, of url: RequestURL) async throws -> Bool {
        let head = response.head
        let range = head.statusCode == 206 ? ContentRange(head.header["Content-Range"]) : nil
        guard head.statusCode != 206 || start != nil else {
            throw fault("is a part, but the whole file was requested", head)
        }
        if isResumable, head.isEncoded, !response.content.isDecoded {
            guard isRepeatable else {
                throw fault("has a content encoding that wasn't requested. Download it without resume", head)
            }
            response.content.cancel()
            isResumable = false
            return false
        }
        if range == nil {
            let validator = isResumable && !response.content.isDecoded ? head.validator : nil
            let size = response.content.isDecoded ? nil : head.expectedBytes(to: .get)
            try writing(head) { try partial.begin(url, validator: validator, total: size) }
            isRestarted = false
        }
        let end = range?.bytes?.upperBound
        var received = range?.bytes?.lowerBound ?? 0
        let total = range == nil ? head.expectedBytes(to: .get) : range?.total
        progress?(received, total)
        isReceiving = true
        for try await chunk in response.content {
            received += Int64(chunk.count)
            receivedBytes += chunk.count
            if let end, received > end {
                // The bytes before can be wrong, too.
                partial.clear()
                throw fault("has more bytes than its part, which ends at \(end)", head)
            }
            try writing(head) { try partial.append(chunk) }
            progress?(received, total)
        }
        isReceiving = false
        if let end, received != end {
            throw fault("is incomplete: \(received) of \(range?.total ?? end) bytes were received", head)
        }
        guard partial.count == received else {
            partial.clear()
            throw fault("was changed by another process during the download", head)
        }
        return range == nil || range?.total == received
    }

    /// Runs an operation on the file, and adds the file's path to its error.
    private func writing<Result>(_ head: ResponseHead, _ body: () throws -> Result) throws(ClientError) -> Result {
        do {
            return try body()
        } catch {
            throw fault("can't be written\(error.systemReason)", head, error)
        }
    }

    /// - Parameter reason: The rest of a sentence about the file, without its period.
    private func fault(_ reason: String, _ head: ResponseHead, _ underlying: (any Error)? = nil) -> ClientError {
        fault(reason, head.url, history: [head], underlying: underlying)
    }

    private func fault(
        _ reason: String,
        _ url: RequestURL,
        history: [ResponseHead] = [],
        underlying: (any Error)? = nil
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
    fileprivate var systemReason: String {
        let error = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? self as NSError
        guard error.domain == NSPOSIXErrorDomain else { return "" }
        return unsafe ": \(String(cString: strerror(Int32(error.code))))"
    }
}

extension ResponseHead {
    /// Whether the body has a content encoding. `identity` and an empty field don't count.
    fileprivate var isEncoded: Bool {
        header[values: .contentEncoding].joined(separator: ",").utf8.split(separator: UInt8(ascii: ",")).contains {
            coding in
            let name = ASCII.lowercased(Substring(coding)).trimmingCharacters(in: .whitespaces)
            return !name.isEmpty && name != "identity"
        }
    }

    /// The validator for `If-Range`: a strong entity tag or a date (RFC 9110 §13.1.5).
    fileprivate var validator: String? {
        if header.contains(.contentEncoding) { return nil }
        guard let tag = header[.eTag] else { return strongDate }
        return tag.utf8.first == UInt8(ascii: "\"") ? tag : nil
    }

    /// Whether a part is of the version with a validator. A part has the entity tag of the whole, but can omit the date
    /// (RFC 9110 §15.3.7).
    fileprivate func isOfVersion(_ validator: String) -> Bool {
        mayBeOfVersion(validator) && (header.contains(.eTag) || validator.utf8.first != UInt8(ascii: "\""))
    }

    /// Whether the head doesn't name another version than the one with a validator.
    fileprivate func mayBeOfVersion(_ validator: String) -> Bool {
        let isTag = validator.utf8.first == UInt8(ascii: "\"")
        return header[isTag ? .eTag : .lastModified].map { $0 == validator } ?? true
    }

    /// The modification date, if it is at least a second old: a file can change twice within one (RFC 9110 §8.8.2.2).
    private var strongDate: String? {
        guard let text = header[.lastModified], let modified = HTTPDate.parse(text, now: Date.init),
            let sent = header["Date"].flatMap({ HTTPDate.parse($0, now: Date.init) }),
            sent.timeIntervalSince(modified) >= 1
        else { return nil }
        return text
    }
}
