import Requests

/// The state of an upload, which decides what follows a response. Without input and output.
///
/// A fact that is missing or can't be read counts as the unsafe one: an unknown offset is never 0, and a server that
/// lost a connection may have processed the upload.
///
/// Specification: draft-ietf-httpbis-resumable-upload, interop version 8.
struct UploadResumption: Hashable, Sendable {
    /// The request to send.
    enum Stage: Hashable {
        /// Asks the target whether it supports uploads that resume, and for its limits.
        case asking
        /// Creates the upload with the whole body, which any server accepts.
        case creating
        /// Creates the upload without its body. Only for a server that supports it.
        case reserving
        /// Sends the request as if there were no protocol.
        case sending
        /// Asks the upload resource for its offset.
        case retrieving
        /// Sends the next bytes of the body. The last ones, which can be none, complete the upload.
        case appending(Range<Int64>)
        /// Asks for the response to an upload that is complete.
        case replaying

        /// Whether the response can be the target's without saying so.
        var isCreation: Bool { self == .creating || self == .reserving || self == .sending }
    }

    /// What follows a response.
    enum Step: Hashable {
        /// Send the request of the current stage.
        case proceed
        /// Return the response.
        case deliver
        /// Send the request of the current stage after a wait, if the retry policy allows it.
        case retry
        /// Throw an error, whose message ends with the reason.
        case fail(String, Ending)
    }

    /// What becomes of an upload that fails.
    enum Ending {
        /// It can be continued later.
        case kept
        /// The server has ended it.
        case ended
        /// It can't be continued, so that the server can delete it.
        case canceled
    }

    private let target: RequestURL
    private let length: Int64
    /// Whether sending the request twice has the same effect as sending it once.
    private let isRepeatable: Bool
    /// The stage of a new upload.
    private let first: Stage

    private(set) var stage: Stage
    /// Where the server receives the rest of the body. `nil` if it didn't tell.
    private(set) var resource: RequestURL?
    /// The number of bytes that the server has confirmed.
    private(set) var offset: Int64 = 0
    /// The number of retries since the last progress.
    private(set) var retries = 0
    /// The offset of the last progress.
    private var mark: Int64 = 0
    private var limits = UploadLimits()
    /// Whether the server may have received the whole body.
    private var mayBeComplete = false
    /// Whether the server has accepted less than it got since the last progress.
    private var hasStalled = false
    private var hasRestarted = false

    /// - Parameters:
    ///   - request: The request of the user.
    ///   - length: The length of its body.
    ///   - resource: The upload resource that an earlier program has created. `nil` begins a new upload.
    ///   - first: The stage of a new upload.
    init(_ request: PreparedRequest, length: Int64, resource: RequestURL? = nil, first: Stage) {
        (target, isRepeatable) = (request.url, request.isRepeatable)
        (self.length, self.resource, self.first) = (length, resource, first)
        stage = resource == nil ? first : .retrieving
        mayBeComplete = resource != nil
    }

    /// Whether a request of this stage sends the last bytes.
    private var completes: Bool {
        switch stage {
        case .creating, .sending, .replaying: true
        case .appending(let part): part.upperBound == length
        case .asking, .reserving, .retrieving: false
        }
    }

    // MARK: Informational responses

    /// Decides whether an informational response ends its request. `nil` lets the request continue.
    mutating func receive(_ informational: ResponseHead) -> Step? {
        guard informational.isResumptionSupport, stage.isCreation, isFromTarget(informational) else { return nil }
        limits = UploadLimits(informational.header) ?? limits
        if let named = location(of: informational) { resource = named }
        if let excess { return excess }
        guard stage == .creating, resource != nil, let most = limits.maximumAppendSize, most < length else {
            return nil
        }
        return fallBack(to: .retrieving)
    }

    /// Another origin, to which a redirect has led, must not choose where the credentials of the target go.
    private func isFromTarget(_ head: ResponseHead) -> Bool { head.url.hasOrigin(of: target) }

    private func location(of head: ResponseHead) -> RequestURL? {
        head.header.single(.location).flatMap { try? head.url.resolving($0) }
    }

    private var excess: Step? {
        guard let most = limits.maximumSize, most < length else { return nil }
        return .fail("has \(length) bytes, but the server accepts at most \(most)", .canceled)
    }

    // MARK: Failures

    /// Decides what follows a request without a response.
    mutating func fail() -> Step {
        if resource != nil { return fallBack(to: .retrieving, .retry) }
        return .retry
    }

    mutating func countRetry() { retries += 1 }

    /// Continues with another stage after a request whose effect is unknown.
    private mutating func fallBack(to next: Stage, _ step: Step = .proceed) -> Step {
        if completes { mayBeComplete = true }
        stage = next
        return step
    }

    // MARK: Responses

    /// Decides what follows a response.
    ///
    /// - Parameter redirects: The responses that led to it. A target can redirect after it has processed the upload.
    mutating func judge(_ head: ResponseHead, redirects: [ResponseHead] = []) -> Step {
        if let known = UploadLimits(head.header), resource != nil || isFromTarget(head) { limits = known }
        let isComplete = head.isUploadComplete == true || redirects.contains { $0.isUploadComplete == true }
        switch stage {
        case .asking: return judgeSupport(head)
        case .sending: return head.status.isSuccess ? .deliver : .retry
        case .retrieving: return judgeOffset(head)
        case .creating, .reserving, .appending, .replaying: if isComplete { return .deliver }
        }
        switch (stage, head.statusCode) {
        case (.creating, 200..<300) where head.isUploadComplete == nil: return .deliver
        case (.creating, 200..<300), (.reserving, 200..<300): return judgeCreation(head)
        case (.creating, 400) where head.isRefusalOfVersion, (.reserving, 400) where head.isRefusalOfVersion:
            return fallBack(to: .sending)
        case (.creating, 413) where resource != nil && limits.maximumAppendSize.map { $0 < length } == true:
            return fallBack(to: .retrieving)
        case (.appending(let part), 200..<300): return judgeAppend(part, head)
        case (.appending(let part), 409): return judgeConflict(part, head)
        case (.appending(let part), 413):
            guard let most = limits.maximumAppendSize, most < part.upperBound - part.lowerBound else { break }
            return stall(append())
        case (.appending, 404), (.appending, 410): return restart()
        case (.replaying, 200..<500) where ![408, 429].contains(head.statusCode):
            return .fail("is complete, but the server has lost its response", .ended)
        default: break
        }
        return fail()
    }

    /// Only a server that announces limits gets an empty body first. Any other would take it for the whole upload.
    private mutating func judgeSupport(_ head: ResponseHead) -> Step {
        if let excess { return excess }
        let isSupported = head.status.isSuccess && UploadLimits(head.header) != nil && isFromTarget(head)
        stage = isSupported && limits.minimumSize ?? 0 <= length ? .reserving : .creating
        return .proceed
    }

    private mutating func judgeCreation(_ head: ResponseHead) -> Step {
        guard head.isUploadComplete == false else {
            return .fail("was taken as an empty one, because the server doesn't support uploads that resume", .ended)
        }
        let named = isFromTarget(head) ? location(of: head) : nil
        guard let known = resource ?? named, named ?? known == known else {
            return .fail("can't be continued, because the server doesn't say where", .ended)
        }
        resource = known
        if stage == .reserving { return append() }
        return fallBack(to: .retrieving)
    }

    private mutating func judgeOffset(_ head: ResponseHead) -> Step {
        switch head.statusCode {
        case 200..<300: break
        case 404, 410: return restart()
        default: return fail()
        }
        guard let received = head.uploadOffset else {
            return .fail("can't be continued, because the server doesn't say how many bytes it has", .kept)
        }
        if let known = head.uploadLength, known != length {
            return .fail("has \(length) bytes, but the server expects \(known)", .kept)
        }
        if let fault = advance(to: received) { return fault }
        if head.isUploadComplete == true {
            stage = .replaying
            return .proceed
        }
        if head.isUploadComplete == false { mayBeComplete = false }
        return append()
    }

    private mutating func judgeAppend(_ part: Range<Int64>, _ head: ResponseHead) -> Step {
        let received = head.uploadOffset ?? part.upperBound
        if let fault = advance(to: received) { return fault }
        return received == part.upperBound && !completes ? append() : stall(fallBack(to: .retrieving))
    }

    /// The server has another offset. Its own counts, if it has more than before.
    private mutating func judgeConflict(_ part: Range<Int64>, _ head: ResponseHead) -> Step {
        guard let received = head.uploadOffset else { return fail() }
        if let fault = advance(to: received) { return fault }
        guard received > part.lowerBound else {
            return .fail("isn't accepted: the server refuses the offset \(received), which is its own", .canceled)
        }
        return stall(append())
    }

    /// Continues once after the server has accepted less than it got. Otherwise it could ask for each byte.
    private mutating func stall(_ step: Step) -> Step {
        guard !hasStalled else { return .fail("isn't accepted: the server takes too few bytes", .canceled) }
        hasStalled = true
        return step
    }

    /// Takes an offset of the server. Returns a fault if the server can't have it.
    private mutating func advance(to received: Int64) -> Step? {
        guard received >= offset else {
            return .fail("can't be continued: the server had \(offset) bytes, and now has \(received)", .canceled)
        }
        guard received <= length else {
            return .fail("has \(length) bytes, but the server says that it has \(received)", .canceled)
        }
        offset = received
        if received - mark >= UploadResumption.leastProgress { (mark, retries, hasStalled) = (received, 0, false) }
        return nil
    }

    /// Less isn't progress. Otherwise a server could break the connection after each byte.
    private static let leastProgress: Int64 = 64 << 10

    /// Continues with the next bytes, as many as the server accepts.
    private mutating func append() -> Step {
        if let excess { return excess }
        let rest = length - offset
        let count = min(rest, limits.maximumAppendSize ?? rest)
        guard count > 0 || rest == 0 else { return .fail("isn't accepted: its parts must be empty", .canceled) }
        stage = .appending(offset..<offset + count)
        return .proceed
    }

    /// Begins again after the upload resource is gone, once, and only if the server can't have processed the upload or
    /// repeating it is safe.
    private mutating func restart() -> Step {
        guard !hasRestarted else { return .fail("was lost by the server again", .ended) }
        guard isRepeatable || !mayBeComplete else {
            let advice = "Send it again if that is safe; an Idempotency-Key makes it safe"
            return .fail("is unknown to the server, which may have processed it. \(advice)", .ended)
        }
        (resource, offset, mark, limits, stage) = (nil, 0, 0, UploadLimits(), first)
        (mayBeComplete, hasStalled, hasRestarted) = (false, false, true)
        return .proceed
    }
}
