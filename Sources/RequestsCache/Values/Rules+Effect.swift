import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPCache.Rules {
    /// Returns what follows from a response of the server.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - request: The request that was sent.
    ///   - stored: The stored response that the request was about, or that has the same URL. `nil` if there is none.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the response was received.
    ///   - isDecoded: Whether the transport decodes the body. Default: `false`.
    ///
    /// Specification: RFC 9111 §3, §4.3.3 to §4.4.
    public func effect(
        of head: ResponseHead,
        to request: PreparedRequest,
        updating stored: HTTPCache.StoredResponse?,
        requestTime: Date,
        responseTime: Date,
        isDecoded: Bool = false
    ) -> HTTPCache.Effect {
        guard request.method.isSafe || isRepresentation(head, of: request) else {
            let urls = changedURLs(after: head, of: request)
            return urls.isEmpty
                ? .ignore(reason: "status \(head.statusCode)") : .invalidate(urls, reason: "method \(request.method)")
        }
        if head.statusCode == 304 || request.method == .head {
            guard let stored else { return .ignore(reason: "nothing stored") }
            var update = stored.updated(by: head, requestTime: requestTime, responseTime: responseTime)
            if head.header.contains(.vary) {
                guard let varying = varyingFields(of: head, to: request) else {
                    return .invalidate([request.url], reason: "Vary: *")
                }
                update.varying = varying
            }
            if head.statusCode == 304 {
                return stored.isConfirmed(by: head) ? .freshen(update) : .ignore(reason: "304 for another version")
            }
            // Other statuses say nothing about the stored response (RFC 9111 §4.3.5).
            guard head.statusCode == 200, stored.statusCode == 200 else { return .ignore(reason: "method HEAD") }
            if stored.isContradicted(by: head) {
                return .invalidate([request.url], reason: "HEAD shows another version")
            }
            return CacheControl(head.header).contains("no-store") ? .ignore(reason: "no-store") : .freshen(update)
        }
        if isDecoded, head.statusCode == 206 { return .ignore(reason: "decoded part") }
        if let reason = prohibition(of: head, to: request) { return .ignore(reason: reason) }
        guard let varying = varyingFields(of: head, to: request) else { return .ignore(reason: "Vary: *") }
        var response = HTTPCache.StoredResponse(
            head,
            varying: varying,
            requestTime: requestTime,
            responseTime: responseTime,
            isDecoded: isDecoded
        )
        if isShared, let names = response.control.fields("private") {
            response.header = response.header.removing(Set(names))
        }
        return .store(response)
    }

    /// Why a response isn't stored. `nil` if it is (RFC 9111 §3).
    private func prohibition(of head: ResponseHead, to request: PreparedRequest) -> String? {
        let control = CacheControl(head.header)
        guard request.method == .get && request.body.isNone || !request.method.isSafe else {
            return "method \(request.method)"
        }
        let isUnderstood = HTTPCache.understoodStatuses.contains(head.statusCode)
        let mustUnderstand = control.contains("must-understand")
        switch head.statusCode {
        case 100...199, 304, 412, 416: return "status \(head.statusCode)"
        // Authentication must see every challenge.
        case 401, 407: return "status \(head.statusCode)"
        case 206 where isMultipart(head): return "several parts"
        case 206 where ContentRange(head.header[.contentRange])?.bytes == nil: return "unknown part"
        case _ where mustUnderstand && !isUnderstood: return "must-understand"
        default: break
        }
        if CacheControl(request.header).contains("no-store") { return "no-store in the request" }
        if control.contains("no-store"), !mustUnderstand { return "no-store" }
        if isShared, control.fields("private") == [] { return "private" }
        if isShared, request.header.contains(.authorization),
            !["public", "must-revalidate", "s-maxage"].contains(where: control.contains)
        {
            return "Authorization"
        }
        guard head.header.allSatisfy({ ASCII.isFieldValue($0.value) && ASCII.isToken($0.name.rawValue) }) else {
            return "malformed header"
        }
        let isAllowed =
            Freshness.isExplicit(head.header, control, isShared: isShared) || control.contains("public")
            || !isShared && control.contains("private") || Freshness.heuristicStatuses.contains(head.statusCode)
        return isAllowed ? nil : "status \(head.statusCode) without a lifetime"
    }

    private func isMultipart(_ head: ResponseHead) -> Bool {
        ASCII.lowercased(head.header[.contentType] ?? "").hasPrefix("multipart/byteranges")
    }

    /// Whether a response to `POST` says that it answers later requests for its URL, too (RFC 9110 §9.3.3).
    private func isRepresentation(_ head: ResponseHead, of request: PreparedRequest) -> Bool {
        let location = head.header[.contentLocation].flatMap { try? request.url.resolving($0) }
        return request.method == .post && (200...299).contains(head.statusCode) && location == request.url
            && Freshness.isExplicit(head.header, CacheControl(head.header), isShared: isShared)
    }

    /// The URLs whose responses a request may have changed (RFC 9111 §4.4).
    func changedURLs(after head: ResponseHead, of request: PreparedRequest) -> [RequestURL] {
        guard !request.method.isSafe, (200...399).contains(head.statusCode) else { return [] }
        var urls = [request.url]
        for name in [Field.Name.location, .contentLocation] {
            guard let url = head.header[name].flatMap({ try? request.url.resolving($0) }),
                url.origin == request.url.origin, !urls.contains(url)
            else { continue }
            urls.append(url)
        }
        return urls
    }
}

extension HTTPCache {
    /// The statuses of RFC 9110 §15, whose rules for caches are respected.
    static let understoodStatuses = Set(200...206).union(300...308).union(400...417).union([421, 422, 426])
        .union(500...505)
}

extension HTTPMethod {
    /// Whether the method only reads (RFC 9110 §9.2.1).
    var isSafe: Bool { [.get, .head, .options, .trace, .query].contains(self) }
}
