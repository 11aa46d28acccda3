/// The received part of a download, and the request for the rest.
///
/// Specification: RFC 9110 §13.1.5, §14, §15.3.7.
package struct DownloadResumption: Sendable, Hashable {
    /// The part of the file in a response.
    package enum Part: Hashable, Sendable {
        /// The file from its beginning.
        case whole
        /// The next bytes of the file, up to a position.
        case rest(upTo: Int64)
        /// Nothing, because the file is complete.
        case nothing
    }

    /// The step after a response.
    package enum Verdict {
        case receive
        /// The response isn't accepted.
        case refuse
        /// The file can't be continued, so the whole file is requested again.
        case restart(canResume: Bool, because: String)
        case fault(String)
    }

    /// The number of bytes in the file.
    package private(set) var count: Int64

    /// Identifies the file's version: a strong entity tag or a date. Without one, the file can't be continued.
    package private(set) var validator: String?

    /// The size of the whole file. `nil` if the server didn't tell it.
    package private(set) var total: Int64?

    /// The part of the file in the current response.
    package private(set) var part = Part.whole

    /// Whether the file is continued after a failure, instead of received from its beginning.
    private var canResume = true

    /// The number of parts that were too small.
    private var smallParts = 0

    /// Creates a resumption. Without arguments the file is empty.
    package init(count: Int64 = 0, validator: String? = nil, total: Int64? = nil) {
        self.count = count
        self.validator = validator
        self.total = total
    }

    package init(canResume: Bool) {
        self.init()
        self.canResume = canResume
    }

    private var isContinuing: Bool { count > 0 && validator != nil }

    /// Adds the fields that ask for the missing part.
    package func prepare(_ request: inout PreparedRequest) {
        guard canResume else { return }
        // A part of an encoded body can't be decoded.
        request.header.set(.acceptEncoding("identity"))
        guard isContinuing, let validator else { return }
        request.header.set(.range(bytes: count...))
        request.header.set(Field(name: .ifRange, value: validator))
    }

    /// Returns the head as validation sees it: a part that was asked for counts as a 200 response.
    package func whole(_ head: ResponseHead) -> ResponseHead {
        guard isContinuing, head.statusCode == 206 else { return head }
        return
            (try? ResponseHead(statusCode: 200, header: head.header, url: head.url, httpVersion: head.httpVersion))
            ?? head
    }

    /// Decides what a response means for the file.
    ///
    /// The file can't be continued if the server has another version, sends another part, or sends a part of an encoded
    /// body, which has other positions (RFC 9110 §14.2). A part that fits is appended even with status 200, as curl
    /// does.
    package mutating func judge(
        _ head: ResponseHead,
        to method: HTTPMethod,
        isDecoded: Bool,
        isAccepted: Bool,
        now: () -> Date
    ) -> Verdict {
        switch head.part(of: target, to: method, isDecoded: isDecoded) {
        case .part(let bytes, _) where isContinuing && bytes.isEmpty:
            part = .nothing
            return .receive
        case .unknown where isContinuing: return DownloadResumption.otherVersion
        case _ where !isAccepted: return .refuse
        case .part(let bytes, let total) where isContinuing && !head.header.contains(.contentEncoding):
            self.total = total ?? self.total
            part = .rest(upTo: bytes.upperBound)
            return .receive
        case .whole(let length):
            if canResume, head.isEncoded, !isDecoded {
                return .restart(canResume: false, because: "has a content encoding that wasn't requested")
            }
            part = .whole
            count = 0
            validator = canResume && !isDecoded ? head.validator(now: now) : nil
            total = length
            return .receive
        case .part, .unknown:
            return isContinuing
                ? DownloadResumption.otherVersion : .fault("is a part, but the whole file was requested")
        }
    }

    private static let otherVersion = Verdict.restart(
        canResume: true,
        because: "can't be continued, because the server has another version"
    )

    private var target: RepresentationPart.Target {
        guard count > 0, let validator else { return .whole }
        return .rest(from: count, of: RepresentationPart.Version(validator: validator, length: total))
    }

    /// Ignores the bytes of the file.
    package mutating func restart(canResume: Bool) { self = DownloadResumption(canResume: canResume) }

    /// Adds bytes that were written.
    package mutating func append(_ bytes: Int64) { count += bytes }

    /// The step after the end of a response.
    package enum Progress {
        case complete
        case part(isSmall: Bool)
        case fault(String)
    }

    /// Adds the bytes of a response that ended as it had announced.
    package mutating func finish(_ bytes: Int64) -> Progress {
        append(bytes)
        var end = total
        if case .rest(let position) = part { end = position }
        if let end, count != end { return .fault("is incomplete: \(count) of \(total ?? end) bytes were received") }
        guard case .rest = part, count != total else { return .complete }
        if bytes < DownloadResumption.leastProgress { smallParts += 1 }
        // The first one may be the last of the file, if the server doesn't tell the size.
        return .part(isSmall: bytes < DownloadResumption.leastProgress && smallParts > 1)
    }

    /// The minimum size of a part. Without it, a server could force one request for each byte.
    private static let leastProgress: Int64 = 64 << 10
}

extension ResponseHead {
    /// The validator for `If-Range`: a strong entity tag or a date (RFC 9110 §13.1.5).
    fileprivate func validator(now: () -> Date) -> String? {
        if header.contains(.contentEncoding) { return nil }
        guard header.contains(.eTag) else { return strongDate(now: now) }
        return header.single(.eTag).flatMap { $0.utf8.first == UInt8(ascii: "\"") ? $0 : nil }
    }

    /// The modification date, if it is at least a second old: a file can change twice within one (RFC 9110 §8.8.2.2).
    private func strongDate(now: () -> Date) -> String? {
        guard let text = header.single(.lastModified), let modified = HTTPDate.parse(text, now: now),
            let sent = header.single("Date").flatMap({ HTTPDate.parse($0, now: now) }),
            sent.timeIntervalSince(modified) >= 1
        else { return nil }
        return text
    }
}
