import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPCache.Rules {
    /// Returns which stored response may serve a request.
    ///
    /// - Parameters:
    ///   - request: The request, including its credentials.
    ///   - stored: The stored responses of the request's URL.
    ///   - now: The current date.
    ///
    /// Specification: RFC 9111 §4.
    public func answer(
        to request: PreparedRequest,
        from stored: [HTTPCache.StoredResponse],
        at now: Date
    ) -> HTTPCache.Answer {
        let control = CacheControl(request.header)
        let policy = request.options.cachePolicy ?? .useProtocolCachePolicy
        let mayBeSent = maySend(request)
        if let reason = bypass(of: request, policy) {
            return mayBeSent ? .miss(reason: reason) : .unsatisfiable(reason: reason)
        }
        guard let (index, isWhole) = selection(for: request, from: stored) else {
            return mayBeSent ? .miss(reason: "nothing stored") : .unsatisfiable(reason: "nothing stored")
        }
        let response = stored[index]
        let age = response.age(at: now)
        var selection = HTTPCache.Selection(index: index, age: Int(age), reason: "")
        guard isWhole else {
            selection.reason = "a part is stored"
            guard mayBeSent else { return .unsatisfiable(reason: selection.reason) }
            return .complete(selection, with: completion(of: response, for: request))
        }
        let use = use(of: response, age: age, for: control, pragma: request.header[.pragma], policy)
        selection.reason = use.reason
        switch use.kind {
        case .fresh: return .fresh(selection)
        case .stale: return .stale(selection, revalidation: nil)
        case .staleWhileRevalidate:
            return .stale(selection, revalidation: mayBeSent ? revalidation(of: response, for: request) : nil)
        case .validated:
            guard mayBeSent else { return .unsatisfiable(reason: selection.reason) }
            return .revalidate(selection, with: revalidation(of: response, for: request))
        }
    }

    /// Whether a request may be sent if no stored response fits (RFC 9111 §5.2.1.7).
    func maySend(_ request: PreparedRequest) -> Bool {
        !request.options.requiresCache && !CacheControl(request.header).contains("only-if-cached")
    }

    /// Why no stored response is used. `nil` if one may be.
    private func bypass(of request: PreparedRequest, _ policy: CachePolicy) -> String? {
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return "reload"
        default: break
        }
        guard request.method == .get || request.method == .head else { return "method \(request.method)" }
        if !request.body.isNone { return "request body" }
        // Only the server can evaluate them (RFC 9111 §4.3.2).
        if request.header.contains(.ifMatch) || request.header.contains(.ifUnmodifiedSince) { return "precondition" }
        return nil
    }

    /// How a stored response may be used, with the reason.
    private typealias Use = (kind: UseKind, reason: String)

    private enum UseKind { case fresh, stale, staleWhileRevalidate, validated }

    private func use(
        of response: HTTPCache.StoredResponse,
        age: Double,
        for request: CacheControl,
        pragma: String?,
        _ policy: CachePolicy
    ) -> Use {
        let control = response.control
        let freshness = freshness(of: response)
        let staleness = age - freshness.lifetime
        switch policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad:
            return staleness < 0 ? (.fresh, freshness.reason) : (.stale, "cache policy")
        case .reloadRevalidatingCacheData: return (.validated, "cache policy")
        default: break
        }
        if request.contains("no-cache") { return (.validated, "no-cache in the request") }
        if request.isEmpty, pragma.map({ ASCII.lowercased($0).contains("no-cache") }) ?? false {
            return (.validated, "Pragma: no-cache in the request")
        }
        // The named fields alone are left out of the response (RFC 9111 §5.2.2.4).
        if control.fields("no-cache") == [] { return (.validated, "no-cache") }
        let isImmutable = control.contains("immutable") && staleness < 0
        if let limit = request.limit("max-age"), age > Double(limit), !isImmutable {
            return (.validated, "max-age in the request")
        }
        if let spare = request.limit("min-fresh", malformed: .max), -staleness < Double(spare) {
            return (.validated, "min-fresh in the request")
        }
        guard staleness >= 0 else { return (.fresh, freshness.reason) }
        if let reason = staleProhibition(control) { return (.validated, reason) }
        if case .value(let limit) = request.seconds("max-stale"), staleness <= Double(limit) {
            return (.stale, "max-stale in the request")
        }
        if request.isWithoutArgument("max-stale") { return (.stale, "max-stale in the request") }
        if case .value(let limit) = control.seconds("stale-while-revalidate"), staleness <= Double(limit),
            request.limit("max-age") == nil
        {
            return (.staleWhileRevalidate, "stale-while-revalidate=\(limit)")
        }
        return (.validated, "stale, \(freshness.reason)")
    }

    private func freshness(of response: HTTPCache.StoredResponse) -> Freshness {
        Freshness(of: response, isShared: isShared, heuristicFraction: heuristicFraction)
    }

    /// The directive that forbids to serve a stale response (RFC 9111 §4.2.4). `nil` if there is none.
    private func staleProhibition(_ control: CacheControl) -> String? {
        if control.fields("no-cache") == [] { return "no-cache" }
        let directives = isShared ? ["must-revalidate", "proxy-revalidate", "s-maxage"] : ["must-revalidate"]
        return directives.first { control.contains($0) }
    }

    /// Returns the reason for serving a stale response after the server failed. `nil` if the failure is returned.
    ///
    /// - Parameters:
    ///   - response: The stored response.
    ///   - request: The request.
    ///   - statusCode: The status of the server's response. `nil` if the server couldn't be reached.
    ///   - now: The current date.
    ///
    /// Specification: RFC 9111 §4.2.4, RFC 5861 §4.
    public func reasonForStale(
        _ response: HTTPCache.StoredResponse,
        for request: PreparedRequest,
        statusCode: Int?,
        at now: Date
    ) -> String? {
        let control = response.control
        guard [nil, 500, 502, 503, 504].contains(statusCode), staleProhibition(control) == nil else { return nil }
        let own = CacheControl(request.header)
        guard !own.contains("no-cache") else { return nil }
        let staleness = response.age(at: now) - freshness(of: response).lifetime
        for directives in [control, own] {
            if case .value(let limit) = directives.seconds("stale-if-error"), staleness <= Double(limit) {
                return "stale-if-error=\(limit)"
            }
        }
        return statusCode == nil && servesStaleIfDisconnected ? "disconnected" : nil
    }
}

extension CacheControl {
    /// Returns the seconds of a request directive. A malformed one is the strictest.
    fileprivate func limit(_ name: String, malformed: Int = 0) -> Int? {
        switch seconds(name) {
        case .missing: nil
        case .malformed: malformed
        case .value(let seconds): seconds
        }
    }
}
