import Requests

extension HTTPCache.Rules {
    /// Returns what follows from a response of the server.
    ///
    /// - Parameters:
    ///   - head: The head of the response. `nil` if the server couldn't be reached.
    ///   - attempt: The request that was sent, from ``serve(_:from:at:)``.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the response was received.
    ///   - isDecoded: Whether the transport decodes the body. Default: `false`.
    ///
    /// Specification: RFC 9111 §3, §4.3.3 to §4.4.
    public func follow(
        _ head: ResponseHead?,
        to attempt: HTTPCache.Attempt,
        requestTime: Date,
        responseTime: Date,
        isDecoded: Bool = false
    ) -> HTTPCache.Outcome {
        if let stale = stale(after: head?.statusCode, attempt, at: responseTime) { return stale }
        guard let head else { return HTTPCache.Outcome("no response") }
        let request = attempt.request
        let varying = varyingFields(of: head.header, in: request.header)
        var new = StoredResponse(head, varying ?? [:], requestTime, responseTime, isDecoded: isDecoded)
        if new.isPartial { new.range = request.header[.range] }
        if isShared, let names = new.control.fields("private") { new.header = new.header.removing(Set(names)) }
        if head.statusCode == 304 { return confirm(attempt, new) }
        let index = attempt.selected ?? attempt.stored.firstIndex { matches($0, request) }
        if request.method == .head { return compare(attempt, index, new) }
        let old = index.map { attempt.stored[$0] }
        let whole = attempt.isCompletion ? old?.completed(by: new) : nil
        let prohibition = prohibition(of: head, to: attempt, isDecoded: isDecoded) ?? (varying == nil ? "Vary: *" : nil)
        if attempt.isCompletion, [206, 416].contains(head.statusCode), whole == nil || prohibition != nil {
            return HTTPCache.Outcome("another version", reply: .repeated)
        }
        let urls = changedURLs(after: head, of: request)
        let invalidation = urls.isEmpty ? [] : [HTTPCache.Outcome.Effect.invalidate(urls)]
        if let prohibition { return HTTPCache.Outcome(prohibition, invalidation) }
        if let whole, let index {
            let status = CacheStatus(.revalidated, age: Int(new.age(at: responseTime)), reason: attempt.reason)
            let reply = HTTPCache.Outcome.Reply.completed(whole, at: index, status)
            return HTTPCache.Outcome(attempt.reason, [.store(whole, at: index)], reply: reply)
        }
        if new.isPartial, let old, !old.isPartial, let index {
            // A part must not replace the whole response.
            guard old.isSameVersion(as: new) else { return HTTPCache.Outcome("another version") }
            return HTTPCache.Outcome("a part is newer", [.freshen(old.updated(by: new), at: index)])
        }
        // Nothing is left after an invalidation.
        return HTTPCache.Outcome("stored", invalidation + [.store(new, at: invalidation.isEmpty ? index : 0)])
    }

    /// The server failed, and the stored response may be served instead (RFC 9111 §4.2.4, RFC 5861 §4).
    private func stale(after statusCode: Int?, _ attempt: Attempt, at now: Date) -> HTTPCache.Outcome? {
        guard [nil, 500, 502, 503, 504].contains(statusCode), let index = attempt.selected else { return nil }
        let (response, own) = (attempt.stored[index], CacheControl(attempt.request.header))
        guard staleProhibition(response.control) == nil, !own.contains("no-cache"), response.canAnswer(attempt.request)
        else { return nil }
        let age = response.age(at: now)
        let staleness = age - Freshness(of: response, isShared: isShared).lifetime
        let allowances = [response.control, own].lazy.compactMap { $0.allowance("stale-if-error", for: staleness) }
        let disconnected = statusCode == nil && servesStaleIfDisconnected ? "disconnected" : nil
        return (allowances.first ?? disconnected).map { reason in
            let status = CacheStatus(.stale, age: Int(age), reason: reason)
            return HTTPCache.Outcome(reason, reply: .stored(response, at: index, status))
        }
    }

    /// The server says that a stored response is current, or that the caller's is (RFC 9111 §4.3.3, §4.3.4).
    private func confirm(_ attempt: Attempt, _ new: StoredResponse) -> HTTPCache.Outcome {
        let request = attempt.request
        var confirmed: Int?
        if let index = attempt.selected {
            let old = attempt.stored[index]
            // Without a tag, the 304 can be about the caller's own condition.
            let isOwnDate =
                request.header.contains(.ifModifiedSince)
                && attempt.sent.header[.ifModifiedSince] != old.modified
            let isAmbiguous = request.header.contains(.ifNoneMatch) || isOwnDate
            if old.isConfirmed(by: new), new.entityTag != nil || !isAmbiguous { confirmed = index }
        } else if attempt.sent != request {
            confirmed = attempt.variants.first { attempt.stored[$0].entityTag == new.entityTag }
        }
        guard let index = confirmed else {
            let isCallers = request.hasOwnCondition || attempt.sent == request
            return HTTPCache.Outcome("304 for another version", reply: isCallers ? .received : .repeated)
        }
        var update = attempt.stored[index].updated(by: new)
        let varying = varyingFields(of: update.header, in: request.header)
        update.varying = varying ?? [:]
        // The caller gets the body, but nothing of the response may be stored any longer (RFC 9111 §5.2.2.5).
        let isStored = varying != nil && !update.control.contains("no-store")
        let status = CacheStatus(.revalidated, age: Int(update.age(at: new.responseTime)), reason: attempt.reason)
        return HTTPCache.Outcome(
            attempt.reason,
            [isStored ? .freshen(update, at: index) : .remove(at: index)],
            reply: .stored(update, at: index, status)
        )
    }

    /// Compares the response to `HEAD` with the stored response to `GET` (RFC 9111 §4.3.5).
    private func compare(_ attempt: Attempt, _ index: Int?, _ new: StoredResponse) -> HTTPCache.Outcome {
        guard let index, attempt.stored[index].statusCode == 200, [200, 404, 410].contains(new.statusCode) else {
            return HTTPCache.Outcome("method HEAD")
        }
        var update = attempt.stored[index].updated(by: new)
        guard let varying = varyingFields(of: update.header, in: attempt.request.header), new.statusCode == 200,
            !attempt.stored[index].isContradicted(by: new), !update.control.contains("no-store")
        else { return HTTPCache.Outcome("HEAD shows another version", [.remove(at: index)]) }
        update.varying = varying
        return HTTPCache.Outcome("method HEAD", [.freshen(update, at: index)])
    }

    /// Why a response isn't stored. `nil` if it is (RFC 9111 §3).
    private func prohibition(of head: ResponseHead, to attempt: Attempt, isDecoded: Bool) -> String? {
        let (request, control) = (attempt.request, CacheControl(head.header))
        let isExplicit = Freshness.isExplicit(head.header, control, isShared: isShared)
        guard attempt.isStorable else { return "credentials were added" }
        guard request.method == .get && request.body.isNone || isRepresentation(head, of: request) && isExplicit else {
            return "method \(request.method)"
        }
        let mustUnderstand = control.contains("must-understand")
        // The statuses of RFC 9110 §15, whose rules for caches are respected.
        let understood = [200...206, 300...308, 400...417, 421...422, 426...426, 500...505]
        switch head.statusCode {
        // Authentication must see every challenge. The others are about what this caller has or asked for.
        case 100...199, 304, 401, 407, 412, 416: return "status \(head.statusCode)"
        case 206 where isDecoded || ASCII.lowercased(head.header[.contentType] ?? "").hasPrefix("multipart/byteranges"):
            return "several or decoded parts"
        case 206 where ContentRange(head.header.single(.contentRange))?.bytes == nil: return "unknown part"
        case let status where mustUnderstand && !understood.contains(where: { $0 ~= status }): return "must-understand"
        default: break
        }
        if CacheControl(request.header).contains("no-store") { return "no-store in the request" }
        if control.contains("no-store"), !mustUnderstand { return "no-store" }
        if isShared, control.fields("private") == [] { return "private" }
        let isForAll = ["public", "must-revalidate", "s-maxage"].contains(where: control.contains)
        if isShared, request.header.contains(.authorization), !isForAll { return "Authorization" }
        let isAllowed =
            isExplicit || control.contains("public") || !isShared && control.contains("private")
            || Freshness.heuristicStatuses.contains(head.statusCode)
        return isAllowed ? nil : "status \(head.statusCode) without a lifetime"
    }

    /// Whether a response to `POST` says that it answers later requests for its URL, too (RFC 9110 §9.3.3).
    private func isRepresentation(_ head: ResponseHead, of request: PreparedRequest) -> Bool {
        let location = head.header.single(.contentLocation).flatMap { try? request.url.resolving($0) }
        return request.method == .post && (200...299).contains(head.statusCode) && location == request.url
    }

    /// The URLs whose responses a request may have changed (RFC 9111 §4.4).
    private func changedURLs(after head: ResponseHead, of request: PreparedRequest) -> [RequestURL] {
        guard !request.method.isSafe, (200...399).contains(head.statusCode) else { return [] }
        let names = [Field.Name.location, .contentLocation]
        let named = names.flatMap { head.header[values: $0] }.compactMap { try? request.url.resolving($0) }
        return [request.url] + Set(named).filter { $0.origin == request.url.origin && $0 != request.url }
    }
}
