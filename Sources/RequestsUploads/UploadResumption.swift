import Requests

/// The state of an upload, which decides what follows a response. Without input and output.
///
/// A fact that is missing or can't be read counts as the unsafe one: an unknown offset is never 0, and a server that
/// lost a connection may have processed the upload.
struct UploadResumption: Hashable, Sendable {
    /// The request to send.
    enum Stage: Hashable {
        /// Asks the target which protocol it supports, and for its limits.
        case asking
        /// Creates the upload with the whole body, which any server accepts with a draft. With tus, only for a server
        /// that supports it.
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
        ///
        /// `hasCause` means that the response has a reason that passes, whatever the policy says about its status.
        case retry(hasCause: Bool = false)
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

    /// The first stage of an upload, and the size and parts of its body.
    struct Plan: Hashable {
        /// The length of the body. `nil` if it isn't known before the body's end.
        var length: Int64?
        /// The stage of a new upload. `nil` if another program has created the upload.
        var first: Stage? = .creating
        /// The maximum size of a part.
        var partSize: Int64?
        /// Whether the body can be sent whole. Otherwise its parts are kept until the server has them.
        var isDivisible = true
        /// Whether an upload is created without its first bytes, if the server supports that.
        var isReserved = true
    }

    private let target: RequestURL
    /// Whether sending the request twice has the same effect as sending it once.
    private let isRepeatable: Bool
    private var plan: Plan

    private(set) var form: UploadProtocol
    private(set) var checksum: UploadSupport.Checksum?
    private(set) var stage: Stage
    /// Where the server receives the rest of the body. `nil` if it didn't tell.
    private(set) var resource: RequestURL?
    /// The number of bytes that the server has confirmed.
    private(set) var offset: Int64 = 0
    /// The end of the bytes that were sent.
    private var end: Int64 = 0
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
    /// Whether the server has refused a version of the draft for another one.
    private var hasSwitched = false

    /// The length of the whole body. `nil` if it isn't known yet.
    var length: Int64? { plan.length }

    /// - Parameters:
    ///   - request: The request of the user.
    ///   - plan: How the upload begins.
    ///   - form: The protocol.
    ///   - resource: The upload resource that another program has created. `nil` begins a new upload.
    init(_ request: PreparedRequest, _ plan: Plan, form: UploadProtocol, resource: RequestURL? = nil) {
        (target, isRepeatable) = (request.url, request.isRepeatable)
        (self.plan, self.form, self.resource) = (plan, form, resource)
        stage = resource == nil ? plan.first ?? .asking : .retrieving
        mayBeComplete = resource != nil
    }

    // MARK: The beginning

    /// Begins the upload with the support that the server has announced before.
    mutating func begin(_ support: UploadSupport) -> Step {
        limits.merge(support.limits)
        if let found = support.form, form.accepts(found) { form = found.with(settingsOf: form) }
        let isSupported = support.form?.form == form.form
        if isSupported { checksum = support.checksum }
        if form.form == .automatic { form = UploadProtocol.newestDraft.with(settingsOf: form) }
        if let excess { return excess }
        if form.isTus {
            // Only a small body, because nothing of it could be continued if the connection broke.
            let isSmall = (1...UploadResumption.leastProgress).contains(length ?? 0) && plan.isDivisible
            stage = support.createsWithBody && isSmall && !plan.isReserved ? .creating : .reserving
        } else if isSupported, plan.isReserved, limits.minimumSize ?? 0 <= length ?? .max, length != 0 {
            // Only a server that announces support gets an empty body first. Any other would take it for the whole.
            stage = .reserving
        } else {
            stage = plan.isDivisible && length != 0 ? .creating : .sending
        }
        plan.first = stage
        return .proceed
    }

    /// Tells where the body ends, once that is known.
    mutating func end(at length: Int64) {
        plan.length = length
        guard case .appending(let part) = stage else { return }
        stage = .appending(part.lowerBound..<min(part.upperBound, max(part.lowerBound, length)))
        end = min(end, length)
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
        guard form.isSupport(informational), stage.isCreation, isFromTarget(informational) else { return nil }
        limits.merge(informational.header)
        if let named = location(of: informational) {
            guard resource ?? named == named else {
                return .fail("can't be continued, because the server says two different places", .canceled)
            }
            resource = named
        }
        if let excess { return excess }
        guard stage == .creating, resource != nil, let most = limits.maximumAppendSize, most < length ?? 0 else {
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
        guard let most = limits.maximumSize, let length, most < length else { return nil }
        return .fail("has \(length) bytes, but the server accepts at most \(most)", .canceled)
    }

    // MARK: Failures

    /// Decides what follows a request without a response.
    mutating func fail() -> Step {
        if resource != nil { return fallBack(to: .retrieving, .retry()) }
        return .retry()
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
        if resource != nil || isFromTarget(head) { limits.merge(head.header) }
        let isComplete = ([head] + redirects).contains { form.isComplete($0, length: length) == true }
        switch stage {
        case .asking: return begin(isFromTarget(head) ? UploadSupport(head, to: form) : UploadSupport())
        case .sending: return head.status.isSuccess ? .deliver : .retry()
        case .retrieving: return judgeOffset(head)
        case .creating where form.isTus && head.status.isSuccess:
            let step = judgeCreation(head)
            return isComplete && step == .proceed ? .deliver : step
        case .creating, .reserving, .appending, .replaying: if isComplete { return .deliver }
        }
        switch (stage, head.statusCode) {
        case (.creating, 200..<300) where form.isComplete(head, length: length) == nil: return .deliver
        case (.creating, 200..<300), (.reserving, 200..<300): return judgeCreation(head)
        case (.creating, 400), (.reserving, 400):
            if let other = form.replacement(by: head) { return switchForm(to: other) }
        case (.creating, 413) where resource != nil && limits.maximumAppendSize.map { $0 < length ?? 0 } == true:
            return fallBack(to: .retrieving)
        case (.appending(let part), 200..<300): return judgeAppend(part, head)
        case (.appending(let part), 409):
            if let received = head.uploadOffset { return judgeConflict(part, received) }
            return fallBack(to: .retrieving, .retry(hasCause: true))
        case (.appending, 423), (.appending, 460), (.replaying, 423):
            // Another request is using the upload, or a part was damaged.
            return fallBack(to: .retrieving, .retry(hasCause: true))
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

    /// Continues after a server has refused the version of the draft.
    private mutating func switchForm(to other: UploadProtocol.Replacement) -> Step {
        guard case .draft(let other) = other, !hasSwitched else { return fallBack(to: .sending) }
        (form, hasSwitched, resource) = (other, true, nil)
        return .proceed
    }

    private mutating func judgeCreation(_ head: ResponseHead) -> Step {
        let named = isFromTarget(head) ? location(of: head) : nil
        guard let known = resource ?? named, named ?? known == known else {
            return .fail("can't be continued, because the server doesn't say where", .ended)
        }
        resource = known
        if form.isTus, length == 0 { return .deliver }
        if stage == .reserving { return append() }
        return fallBack(to: .retrieving)
    }

    private mutating func judgeOffset(_ head: ResponseHead) -> Step {
        switch head.statusCode {
        case 200..<300: break
        case 404, 410: return restart()
        case 423: return .retry(hasCause: true)
        default: return fail()
        }
        guard let received = head.uploadOffset else {
            return .fail("can't be continued, because the server doesn't say how many bytes it has", .kept)
        }
        if let length, let known = head.uploadLength, known != length {
            return .fail("has \(length) bytes, but the server expects \(known)", .kept)
        }
        if let known = head.uploadLength, received > known {
            return .fail("can't be continued: the server says that it has \(received) of \(known) bytes", .canceled)
        }
        if let fault = advance(to: received) { return fault }
        switch form.isComplete(head, length: length) {
        case true? where form.isTus: return .deliver
        case true?:
            stage = .replaying
            return .proceed
        case false?: mayBeComplete = false
        case nil: break
        }
        return append()
    }

    private mutating func judgeAppend(_ part: Range<Int64>, _ head: ResponseHead) -> Step {
        let received = head.uploadOffset ?? part.upperBound
        if let fault = advance(to: received) { return fault }
        return received == part.upperBound && !completes ? append() : stall(fallBack(to: .retrieving))
    }

    /// The server has another offset. Its own counts, if it has more than before.
    private mutating func judgeConflict(_ part: Range<Int64>, _ received: Int64) -> Step {
        if let fault = advance(to: received) { return fault }
        guard received > part.lowerBound else {
            return .fail("isn't accepted: the server refuses the offset \(received), which is its own", .canceled)
        }
        return stall(append())
    }

    /// Continues once after the server has accepted less than it got. Otherwise it could ask for each byte.
    private mutating func stall(_ step: Step) -> Step {
        guard !hasStalled else {
            return .fail("isn't accepted: the server has twice taken only a part of what it received", .canceled)
        }
        hasStalled = true
        return step
    }

    /// Takes an offset of the server. Returns a fault if the server can't have it.
    private mutating func advance(to received: Int64) -> Step? {
        guard received >= offset else {
            return .fail("can't be continued: the server had \(offset) bytes, and now has \(received)", .canceled)
        }
        // Before anything is sent, the server has what another program has sent.
        guard received <= length ?? (end > 0 ? end : .max) else {
            return .fail("has \(length ?? end) bytes, but the server says that it has \(received)", .canceled)
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
        let rest = (length ?? .max) - offset
        let count = min(rest, limits.maximumAppendSize ?? rest, plan.partSize ?? rest)
        guard count > 0 || rest == 0 else { return .fail("isn't accepted: its parts must be empty", .canceled) }
        stage = .appending(offset..<offset + count)
        end = max(end, offset + count)
        return .proceed
    }

    /// Begins again after the upload resource is gone, once, and only if the server can't have processed the upload or
    /// repeating it is safe.
    private mutating func restart() -> Step {
        guard let first = plan.first else { return .fail("is unknown to the server. Create another one", .ended) }
        guard !hasRestarted else { return .fail("was lost by the server again", .ended) }
        guard isRepeatable || !mayBeComplete else {
            let advice = "Send it again if that is safe; an Idempotency-Key makes it safe"
            return .fail("is unknown to the server, which may have processed it. \(advice)", .ended)
        }
        (resource, offset, mark, end, limits, stage) = (nil, 0, 0, 0, UploadLimits(), first)
        (mayBeComplete, hasStalled, hasRestarted) = (false, false, true)
        return .proceed
    }
}
