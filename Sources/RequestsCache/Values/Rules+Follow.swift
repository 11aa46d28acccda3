import Requests

extension HTTPCache.Rules {
    /// Returns what follows from a response of the server.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - attempt: The request that was sent, from ``serve(_:from:at:)``.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the response was received.
    ///   - isDecoded: Whether the transport decodes the body. Default: `false`.
    ///
    /// Specification: RFC 9111 §3, §4.3.3 to §4.4.
    package func follow(
        _ head: ResponseHead,
        to attempt: HTTPCache.ForwardedRequest,
        requestTime: Date,
        responseTime: Date,
        isDecoded: Bool = false
    ) -> HTTPCache.Outcome {
        // The last resort after such a failure must not be replaced.
        let request = attempt.request
        guard lastResort(for: request, from: attempt.stored, after: .response(head), at: responseTime) == nil else {
            return HTTPCache.Outcome("status \(head.statusCode), which a stored response may replace")
        }
        let varying = varyingFields(of: head.header, in: request.header)
        let index = attempt.selected ?? attempt.stored.firstIndex { matches($0, request) }
        let old = index.map { attempt.stored[$0] }
        let part = head.part(of: attempt.target(old), to: request.method, isDecoded: isDecoded)
        var new = StoredResponse(head, varying ?? [:], requestTime, responseTime, isDecoded: isDecoded, part: part)
        if new.isPartial { new.range = request.header[.range] }
        if head.statusCode == 304 { return confirm(attempt, new, head.header.credential == nil) }
        if request.method == .head { return compare(attempt, index, new) }
        let whole = attempt.isCompletion ? old?.completed(by: new) : nil
        let prohibition = prohibition(of: head, part, to: attempt) ?? (varying == nil ? "Vary: *" : nil)
        let isWhole = if case .whole = part { head.statusCode != 206 } else { false }
        if attempt.isCompletion, !isWhole, whole == nil || prohibition != nil {
            return HTTPCache.Outcome("another version", reply: .repeated)
        }
        let urls = changedURLs(after: head, of: request)
        let invalidation = urls.isEmpty ? [] : [HTTPCache.Outcome.Effect.invalidate(urls)]
        if let prohibition {
            let isOutdated =
                request.method == .get && request.body.isNone && mayChange(attempt) && isWhole && replacesStored(head)
            let removal = isOutdated ? index.map { [HTTPCache.Outcome.Effect.remove(at: $0)] } : nil
            return HTTPCache.Outcome(prohibition, invalidation + (removal ?? []))
        }
        if let whole, let index {
            let status = CacheStatus(.revalidated, age: Int64(new.age(at: responseTime)), reason: attempt.reason)
            let reply = HTTPCache.Outcome.Reply.completed(whole, at: index, status)
            return HTTPCache.Outcome(attempt.reason, [.store(whole, at: index)], reply: reply)
        }
        if new.isPartial, let old, !old.isPartial, let index {
            // A part must not replace the whole response.
            guard old.isSameVersion(as: new) else { return HTTPCache.Outcome("another version", [.remove(at: index)]) }
            return HTTPCache.Outcome("a part is newer", [.freshen(old.updated(by: new), at: index)])
        }
        // Nothing is left after an invalidation.
        return HTTPCache.Outcome("stored", invalidation + [.store(new, at: invalidation.isEmpty ? index : 0)])
    }

    /// Returns the stored response that may replace a failure (RFC 9111 §4.2.4, RFC 5861 §4).
    ///
    /// - Parameter failure: The failure. None is replaced but for errors of the server and of the connection.
    func lastResort(
        for request: PreparedRequest,
        from stored: [StoredResponse],
        after failure: RetryPolicy.Outcome,
        at now: Date
    ) -> (index: Int, status: CacheStatus)? {
        let own = CacheControl(request.header)
        guard failure.isReplaceable, bypass(of: request) == nil,
            let (index, isWhole) = selection(for: request, from: stored), isWhole,
            staleProhibition(stored[index].control) == nil, validationDemand(of: request, own) == nil,
            !own.contains("max-age"), !own.contains("min-fresh")
        else { return nil }
        let age = stored[index].age(at: now)
        let staleness = age - stored[index].freshness.lifetime
        let allowances = [stored[index].control, own].lazy.compactMap { $0.allowance("stale-if-error", for: staleness) }
        let isResponse = if case .response = failure { true } else { false }
        let disconnected = !isResponse && servesStaleIfDisconnected ? "disconnected" : nil
        return (allowances.first ?? disconnected).map { (index, CacheStatus(.stale, age: Int64(age), reason: $0)) }
    }

    /// The server says that a stored response is current, or that the caller's is (RFC 9111 §4.3.3, §4.3.4).
    ///
    /// - Parameter isStorable: Whether all fields of the 304 may be stored.
    private func confirm(_ attempt: ForwardedRequest, _ new: StoredResponse, _ isStorable: Bool) -> HTTPCache.Outcome {
        let request = attempt.request
        var confirmed: Int?
        // A 304 to a request without a condition confirms nothing.
        if let index = attempt.selected, attempt.sent.hasOwnCondition {
            let old = attempt.stored[index]
            // Without a tag, the 304 can be about the caller's own condition.
            let isOwnDate =
                request.header.contains(.ifModifiedSince)
                && attempt.sent.header[.ifModifiedSince] != old.modified
            let isAmbiguous = request.header.contains(.ifNoneMatch) || isOwnDate
            if old.isConfirmed(by: new), new.entityTag != nil || !isAmbiguous { confirmed = index }
        } else if attempt.selected == nil, attempt.sent != request {
            confirmed = attempt.variants.first { attempt.stored[$0].entityTag == new.entityTag }
        }
        // The answer to other credentials says nothing about this user's response.
        guard attempt.isStorable else {
            return HTTPCache.Outcome("the request was changed", reply: attempt.sent == request ? .received : .repeated)
        }
        guard let index = confirmed else {
            let isCallers = request.hasOwnCondition || attempt.sent == request
            return HTTPCache.Outcome("304 for another version", reply: isCallers ? .received : .repeated)
        }
        var update = attempt.stored[index].updated(by: new)
        let varying = varyingFields(of: update.header, in: request.header)
        update.varying = varying ?? [:]
        // The caller gets the body, but nothing of the response may be stored any longer (RFC 9111 §5.2.2.5).
        let isStored = isStorable && varying != nil && !update.control.contains("no-store")
        let effect = isStored ? HTTPCache.Outcome.Effect.freshen(update, at: index) : .remove(at: index)
        let status = CacheStatus(.revalidated, age: Int64(update.age(at: new.responseTime)), reason: attempt.reason)
        let reply = HTTPCache.Outcome.Reply.stored(update, at: index, status)
        return HTTPCache.Outcome(attempt.reason, mayChange(attempt) ? [effect] : [], reply: reply)
    }

    /// Compares the response to `HEAD` with the stored response to `GET` (RFC 9111 §4.3.5).
    private func compare(_ attempt: ForwardedRequest, _ index: Int?, _ new: StoredResponse) -> HTTPCache.Outcome {
        guard let index, attempt.stored[index].statusCode == 200, [200, 404, 410].contains(new.statusCode),
            mayChange(attempt)
        else {
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
    private func prohibition(
        of head: ResponseHead,
        _ part: RepresentationPart,
        to attempt: ForwardedRequest
    ) -> String? {
        let (request, control) = (attempt.request, CacheControl(head.header))
        let isExplicit = control.contains("max-age") || head.header.contains(.expires)
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
        case _ where part == .unknown: return "unknown part"
        case let status where mustUnderstand && !understood.contains(where: { $0 ~= status }): return "must-understand"
        default: if case .part = part, head.statusCode != 206 { return "a part with status \(head.statusCode)" }
        }
        if let name = head.header.credential { return "\(name), which may be a credential" }
        if CacheControl(request.header).contains("no-store") { return "no-store in the request" }
        if control.contains("no-store"), !mustUnderstand { return "no-store" }
        let isAllowed =
            isExplicit || control.contains("public") || control.contains("private")
            || StoredResponse.heuristicStatuses.contains(head.statusCode)
        return isAllowed ? nil : "status \(head.statusCode) without a lifetime"
    }

    /// Whether the response to a request may change what is stored.
    private func mayChange(_ attempt: ForwardedRequest) -> Bool {
        attempt.isStorable && !CacheControl(attempt.request.header).contains("no-store")
    }

    /// Whether a response is newer than the stored one, and not about this request alone or a failure that may pass.
    private func replacesStored(_ head: ResponseHead) -> Bool {
        (200..<500).contains(head.statusCode) && ![304, 401, 407, 408, 412, 416, 429].contains(head.statusCode)
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

extension RetryPolicy.Outcome {
    /// Whether a stored response may replace the failure. A response that mustn't be trusted stays one.
    var isReplaceable: Bool {
        switch self {
        case .response(let head): return [500, 502, 503, 504].contains(head.statusCode)
        case .failure(let error):
            // The error of a refresh counts, too.
            let error = (error as? ClientError)?.underlying ?? error
            return (error as? TransportError).map { RetryPolicy.transientCodes.contains($0.code) } ?? false
        }
    }
}
