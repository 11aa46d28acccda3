import Foundation

/// A body on its way to a file.
struct Download {
    private let file: URL
    private var partial: PartialFile
    private var hasClaimed = false
    /// Whether a part is kept, and used; not any more where the server codes what it sends whatever it is asked for.
    private var isResumable: Bool
    private let progress: (@Sendable (Int64, Int64?) -> Void)?
    /// Whether what is there of an earlier time is of no use.
    private var isAnew = false
    /// How much has come, what was there before not counted.
    private(set) var receivedBytes = 0
    /// Whether a body is on its way to the file.
    private(set) var isReceiving = false
    /// What is there of an earlier time, and was asked to be continued.
    private var start: (count: Int64, validator: String)?
    /// Whether the request can be made a second time.
    private var isRepeatable = false

    init(to file: URL, isResumable: Bool, progress: (@Sendable (Int64, Int64?) -> Void)?) {
        self.file = file
        self.partial = PartialFile(for: file, isKept: isResumable)
        self.isResumable = isResumable
        self.progress = progress
    }

    /// Asks for what is still to come, once no other download writes the same partial file.
    mutating func prepare(_ request: inout PreparedRequest) throws(ClientError) {
        guard file.isFileURL else {
            throw fault("cannot be written: the URL of its place is no file URL; use URL(filePath:)", request.url)
        }
        guard !request.header.contains(.range) else {
            throw fault("is downloaded as a whole; remove the field Range", request.url)
        }
        try claim(for: request.url)
        isReceiving = false
        isRepeatable = request.isRepeatable && request.body.isReplayable
        start = nil
        guard isResumable else { return }
        // A part of a coded body cannot be decoded.
        request.header.set(.acceptEncoding("identity"))
        if !isAnew { start = partial.start(of: request.url) }
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
            throw fault("cannot be written\(error.systemReason)", url, underlying: error)
        }
        if !hasClaimed { throw fault("is being downloaded already; wait for that, or do not resume", url) }
    }

    /// What a client judges: the rest of a file, where that was asked for, is as good as the whole.
    func judged(_ head: ResponseHead) throws -> ResponseHead {
        guard start != nil, head.statusCode == 206 else { return head }
        return try ResponseHead(statusCode: 200, header: head.header, url: head.url, httpVersion: head.httpVersion)
    }

    /// Whether nothing is still to come: the server has no more than what is there.
    func isWhole(after head: ResponseHead) -> Bool {
        guard head.statusCode == 416, let start, head.mayBeOfVersion(start.validator) else { return false }
        return ContentRange(head.header["Content-Range"])?.total == start.count
    }

    /// Whether what is there cannot be continued: the server has another file, or sends a part of one, whatever
    /// `If-Range` said (RFC 9110 §15.3.7.3), or another part than the one that was asked for, or one of a coded one, whose positions are not those of the bytes that are there
    /// (RFC 9110 §14.2).
    func cannotContinue(with response: Response<ResponseBody>) -> Bool {
        guard let start else { return false }
        let head = response.head
        if head.statusCode == 416 { return !isWhole(after: head) }
        guard head.statusCode == 206 else { return false }
        return !head.isOfVersion(start.validator) || head.header.contains(.contentEncoding)
            || response.content.isDecoded
            || ContentRange(head.header["Content-Range"])?.bytes?.lowerBound != start.count
    }

    /// Leaves out what is there, even where it cannot be removed.
    mutating func startAnew() {
        isAnew = true
        partial.clear()
    }

    /// Forgets what came, unless it is of use the next time.
    func fail() {
        partial.leave()
    }

    func finish(_ head: ResponseHead) throws(ClientError) {
        try writing(head) { try partial.finish() }
    }

    /// - Parameter url: What it was asked of: a redirect or middleware may lead elsewhere, and elsewhere the next time.
    /// - Returns: Whether all of it is there; otherwise the server has, or may have, more than it sent.
    mutating func write(_ response: Response<ResponseBody>, of url: RequestURL) async throws -> Bool {
        let head = response.head
        let range = head.statusCode == 206 ? ContentRange(head.header["Content-Range"]) : nil
        guard head.statusCode != 206 || start != nil else {
            throw fault("is a part that was not asked for", head)
        }
        if isResumable, head.isCoded, !response.content.isDecoded {
            guard isRepeatable else {
                throw fault("came in a coding that was not asked for; download it without resume", head)
            }
            response.content.cancel()
            isResumable = false
            return false
        }
        if range == nil {
            let validator = isResumable && !response.content.isDecoded ? head.validator : nil
            try writing(head) { try partial.begin(url, validator: validator) }
            isAnew = false
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
                // What came of it before is as doubtful.
                partial.clear()
                throw fault("has bytes after the \(end) that its part ends with", head)
            }
            try writing(head) { try partial.append(chunk) }
            progress?(received, total)
        }
        isReceiving = false
        if let end, received != end { throw fault("has \(received) bytes of \(range?.total ?? end)", head) }
        guard partial.count == received else {
            partial.clear()
            throw fault("has \(received) bytes, and was changed by somebody else meanwhile", head)
        }
        return range == nil || range?.total == received
    }

    /// Runs what touches the file, and says which file it was when that fails.
    private func writing<Result>(_ head: ResponseHead, _ body: () throws -> Result) throws(ClientError) -> Result {
        do {
            return try body()
        } catch {
            throw fault("cannot be written\(error.systemReason)", head, error)
        }
    }

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
            message: "the file \(Redaction.quoted(file.path)) of \(url) \(reason)",
            history: history,
            underlying: underlying
        )
    }
}

extension Error {
    /// What the system says, after a colon, where it is the system's error.
    fileprivate var systemReason: String {
        let error = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? self as NSError
        guard error.domain == NSPOSIXErrorDomain else { return "" }
        return ": \(String(cString: strerror(Int32(error.code))))"
    }
}

extension ResponseHead {
    /// Whether the bytes are in a content coding; `identity` is none, and neither is a field without a value.
    fileprivate var isCoded: Bool {
        header[values: .contentEncoding].joined(separator: ",").utf8.split(separator: UInt8(ascii: ",")).contains {
            coding in
            let name = ASCII.lowercased(Substring(coding)).trimmingCharacters(in: .whitespaces)
            return !name.isEmpty && name != "identity"
        }
    }

    /// What a part can be asked for with later: an entity tag that is not weak, or a date (RFC 9110 §13.1.5).
    fileprivate var validator: String? {
        if header.contains(.contentEncoding) { return nil }
        guard let tag = header[.eTag] else { return strongDate }
        return tag.utf8.first == UInt8(ascii: "\"") ? tag : nil
    }

    /// Whether a part is of the version that a validator names. It has the tag that the whole has, and may leave out a date
    /// (RFC 9110 §15.3.7).
    fileprivate func isOfVersion(_ validator: String) -> Bool {
        mayBeOfVersion(validator) && (header.contains(.eTag) || validator.utf8.first != UInt8(ascii: "\""))
    }

    /// Whether nothing says that this is about another version than the one that a validator names.
    fileprivate func mayBeOfVersion(_ validator: String) -> Bool {
        let isTag = validator.utf8.first == UInt8(ascii: "\"")
        return header[isTag ? .eTag : .lastModified].map { $0 == validator } ?? true
    }

    /// A date after which a second has passed: within it the file can change twice (RFC 9110 §8.8.2.2).
    private var strongDate: String? {
        guard let text = header[.lastModified], let modified = HTTPDate.parse(text),
            let sent = header["Date"].flatMap(HTTPDate.parse), sent.timeIntervalSince(modified) >= 1
        else { return nil }
        return text
    }
}
