import Requests

extension HTTPCache.Rules {
    /// Returns which stored response may serve a request.
    ///
    /// - Parameters:
    ///   - request: The request, including its credentials.
    ///   - stored: The stored responses of the request's URL.
    ///   - now: The current date.
    ///
    /// Specification: RFC 9111 §4.
    package func serve(
        _ request: PreparedRequest,
        from stored: [HTTPCache.StoredResponse],
        at now: Date
    ) -> HTTPCache.Decision {
        let control = CacheControl(request.header)
        var attempt = ForwardedRequest(request, from: stored, reason: stored.isEmpty ? "nothing stored" : "none fits")
        // The request must not be sent if it asks for a stored response (RFC 9111 §5.2.1.7).
        let mayBeSent = !request.options.requiresCache && !control.contains("only-if-cached")
        let send = { (attempt: ForwardedRequest) -> HTTPCache.Decision in
            guard mayBeSent else { return .unsatisfiable(reason: attempt.reason) }
            return attempt.selected == nil ? .miss(attempt) : .revalidate(attempt)
        }
        if let reason = bypass(of: request) {
            attempt.reason = reason
            return send(attempt)
        }
        guard let (index, isWhole) = selection(for: request, from: stored) else {
            attempt.askForConfirmation()
            return send(attempt)
        }
        attempt.selected = index
        guard isWhole else {
            attempt.askForRest(after: stored[index])
            return send(attempt)
        }
        let age = stored[index].age(at: now)
        let use = use(of: stored[index], age: age, for: request, control)
        let status = CacheStatus(use.kind == .fresh ? .hit : .stale, age: Int64(age), reason: use.reason)
        if use.kind == .fresh { return .fresh(at: index, status) }
        if use.kind == .stale { return .stale(at: index, status, revalidation: nil) }
        attempt.reason = use.reason
        attempt.askForConfirmation()
        guard use.kind == .staleWhileRevalidate else { return send(attempt) }
        return .stale(at: index, status, revalidation: mayBeSent ? attempt : nil)
    }

    /// Why no stored response is used. `nil` if one may be.
    func bypass(of request: PreparedRequest) -> String? {
        let reloads: [CachePolicy?] = [.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData]
        if reloads.contains(request.options.cachePolicy) { return "reload" }
        guard request.method == .get || request.method == .head else { return "method \(request.method)" }
        if !request.body.isNone { return "request body" }
        // Only the server can evaluate them (RFC 9111 §4.3.2).
        if request.header.contains(.ifMatch) || request.header.contains(.ifUnmodifiedSince) { return "precondition" }
        return nil
    }

    /// Returns the stored response that fits best, and whether it has everything that the request asks for.
    ///
    /// The most recent of several wins, a whole one before one that must be completed (RFC 9111 §4).
    func selection(
        for request: PreparedRequest,
        from stored: [StoredResponse]
    ) -> (index: Int, isWhole: Bool)? {
        let fitting = stored.indices.filter {
            matches(stored[$0], request) && !(retries?.mayRetry(stored[$0].statusCode) ?? false)
        }
        let latest = { (indices: [Int]) in
            indices.max { (stored[$0].date, stored[$0].responseTime) < (stored[$1].date, stored[$1].responseTime) }
        }
        if let index = latest(fitting.filter { stored[$0].canAnswer(request) }) { return (index, true) }
        return latest(fitting.filter { stored[$0].canBeCompleted(for: request) }).map { ($0, false) }
    }

    private enum UseKind { case fresh, stale, staleWhileRevalidate, validated }

    /// How a stored response may be used, with the reason.
    private func use(
        of response: StoredResponse,
        age: Double,
        for request: PreparedRequest,
        _ own: CacheControl
    ) -> (kind: UseKind, reason: String) {
        let control = response.control
        let freshness = response.freshness
        let staleness = age - freshness.lifetime
        if [.returnCacheDataElseLoad, .returnCacheDataDontLoad].contains(request.options.cachePolicy) {
            return staleness < 0 ? (.fresh, freshness.reason) : (.stale, "cache policy")
        }
        if let reason = validationDemand(of: request, own) { return (.validated, reason) }
        // The named fields alone are left out of the response (RFC 9111 §5.2.2.4).
        if control.fields("no-cache") == [] { return (.validated, "no-cache") }
        let isImmutable = control.contains("immutable") && staleness < 0
        if let limit = own.seconds("max-age", malformed: 0), age > Double(limit), !isImmutable {
            return (.validated, "max-age in the request")
        }
        if let spare = own.seconds("min-fresh", malformed: .max), -staleness < Double(spare) {
            return (.validated, "min-fresh in the request")
        }
        guard staleness >= 0 else { return (.fresh, freshness.reason) }
        if let reason = staleProhibition(control) { return (.validated, reason) }
        if own.isWithoutArgument("max-stale") || own.allowance("max-stale", for: staleness) != nil {
            return (.stale, "max-stale in the request")
        }
        if let reason = control.allowance("stale-while-revalidate", for: staleness), !own.contains("max-age") {
            return (.staleWhileRevalidate, reason)
        }
        return (.validated, "stale, \(freshness.reason)")
    }

    /// Why a request wants the server to confirm each response. `nil` if it doesn't.
    func validationDemand(of request: PreparedRequest, _ own: CacheControl) -> String? {
        if request.options.cachePolicy == .reloadRevalidatingCacheData { return "cache policy" }
        if own.contains("no-cache") { return "no-cache in the request" }
        guard own.isEmpty, let pragma = request.header[.pragma] else { return nil }
        return ASCII.lowercased(pragma).contains("no-cache") ? "Pragma: no-cache in the request" : nil
    }

    /// The directive that forbids to serve a stale response (RFC 9111 §4.2.4). `nil` if there is none.
    func staleProhibition(_ control: CacheControl) -> String? {
        if control.fields("no-cache") == [] { return "no-cache" }
        return control.contains("must-revalidate") ? "must-revalidate" : nil
    }
}

extension HTTPCache.ForwardedRequest {
    /// The stored responses that the server may select, although `Vary` doesn't (RFC 9111 §4.1).
    ///
    /// Only strong tags tell them apart: compressed and plain variants can have the same weak one.
    var variants: [Int] {
        guard request.method == .get, !request.header.contains(.range) else { return [] }
        return stored.indices.filter { stored[$0].statusCode == 200 && stored[$0].entityTag?.hasPrefix("\"") ?? false }
    }

    /// Asks whether stored responses are current.
    ///
    /// Keeps the caller's own conditions, which apply to the response that the caller has (RFC 9111 §4.3.1).
    fileprivate mutating func askForConfirmation() {
        // The server evaluates `If-Range` for the version that the caller has.
        guard !request.header.contains(.ifRange) else { return }
        let own = request.header[.ifNoneMatch]
        var known = Set(own?.listElements(hasEscapes: false) ?? [])
        let tags = (selected.map { [$0] } ?? variants).compactMap { stored[$0].entityTag }
        let new = own == "*" ? [] : tags.filter { known.insert($0).inserted }
        if !new.isEmpty { sent.header[.ifNoneMatch] = ([own].compactMap(\.self) + new).joined(separator: ", ") }
        // A server that reads `If-None-Match` ignores the date.
        if let selected, let date = stored[selected].modified, own == nil || !tags.isEmpty {
            sent.header[.ifModifiedSince] = date
        }
    }

    /// Asks for the bytes after the stored ones, or for everything if the version has changed (RFC 9110 §13.1.5).
    fileprivate mutating func askForRest(after part: HTTPCache.StoredResponse) {
        reason = "a part is stored"
        sent.header[.range] = "bytes=\(part.bytes.upperBound)-"
        sent.header[.ifRange] = part.strongValidator
    }
}
