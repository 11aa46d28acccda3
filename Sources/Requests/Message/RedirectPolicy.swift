/// Decides which redirects a client follows.
///
/// A redirect to another scheme, host or port removes `Authorization`, `Cookie`, `Proxy-Authorization`, `Host`, all
/// sensitive fields and the request's authentication. Later redirects don't restore them. If the body contains
/// credentials, such a redirect throws ``ClientError/Code/crossOriginBody``.
///
/// Policies are equal if their limits and flags are equal and they share the same condition.
///
/// Specification: RFC 9110 §15.4.
public struct RedirectPolicy: Hashable, Sendable {
    /// The maximum number of redirects, which may lead to the same URL again. One more throws
    /// ``ClientError/Code/redirectLimit``. With 0, the caller gets the response that redirects.
    public let limit: Int

    /// Whether redirects from `https` to `http` are followed. Otherwise they throw
    /// ``ClientError/Code/refusedDowngrade``.
    public let allowsDowngrade: Bool

    let condition: Identified<@Sendable (ResponseHead, PreparedRequest) -> Bool>?

    private init(
        limit: Int,
        allowsDowngrade: Bool,
        condition: Identified<@Sendable (ResponseHead, PreparedRequest) -> Bool>? = nil
    ) {
        self.limit = limit
        self.allowsDowngrade = allowsDowngrade
        self.condition = condition
    }

    /// The settings in one line. A condition is shown by its identity, by which it is compared.
    package var summary: String {
        "limit \(limit)" + (allowsDowngrade ? ", allowsDowngrade" : "")
            + (condition.map { ", condition \(ObjectIdentifier($0))" } ?? "")
    }

    /// Follows no redirects. The caller gets the response that redirects.
    public static let never = RedirectPolicy(limit: 0, allowsDowngrade: false)

    /// Follows redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects. Default: 10.
    ///   - allowsDowngrade: Whether redirects from `https` to `http` are followed. Default: `false`.
    public static func follow(limit: Int = 10, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade)
    }

    /// Follows the redirects that satisfy a condition. For others, the caller gets the response that redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects. Default: 10.
    ///   - allowsDowngrade: Whether redirects from `https` to `http` are followed. Default: `false`.
    ///   - condition: Receives the response that redirects and the request that would follow.
    public static func follow(
        limit: Int = 10,
        allowsDowngrade: Bool = false,
        where condition: @escaping @Sendable (ResponseHead, PreparedRequest) -> Bool
    ) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, condition: Identified(condition))
    }
}

extension RedirectPolicy {
    /// The step after a response.
    package enum Step: Sendable {
        /// Send this request. It contains only the credentials that its server may get.
        case follow(PreparedRequest)
        /// Return the response to the caller.
        case deliver
        /// Fail with an error.
        case stop(ClientError)
    }

    /// Decides what follows a response.
    ///
    /// - Parameters:
    ///   - head: The response's head.
    ///   - request: The response's request.
    ///   - history: The responses that redirected before, oldest first.
    package func step(
        after head: ResponseHead,
        to request: PreparedRequest,
        history: [ResponseHead] = []
    ) -> Step {
        guard limit > 0, RedirectPolicy.redirects(head.statusCode) else { return .deliver }
        let locations = head.header[values: .location]
        guard let location = locations.first else { return .deliver }
        let heads = history + [head]
        guard locations.allSatisfy({ $0.utf8.elementsEqual(location.utf8) }) else {
            return .stop(.invalidRedirect("\(head) redirects to \(locations.count) different URLs.", history: heads))
        }
        let next: PreparedRequest
        do {
            // The server may repeat credentials in the URL that authentication added to the previous one.
            let url = try request.url.resolving(location).redacting(sameAs: head.url)
            next = request.redirected(by: head.statusCode, to: url)
        } catch {
            return .stop(.invalidRedirect("\(head) redirects to an invalid URL: \(error)", error, history: heads))
        }
        if let condition, !condition.call(head, next) { return .deliver }
        return fault(of: next, after: head, to: request, heads).map { .stop($0) } ?? .follow(next)
    }

    package static func redirects(_ statusCode: Int) -> Bool {
        switch statusCode {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    private func fault(
        of next: PreparedRequest,
        after head: ResponseHead,
        to request: PreparedRequest,
        _ heads: [ResponseHead]
    ) -> ClientError? {
        if !allowsDowngrade, request.url.isSecure, !next.url.isSecure {
            return ClientError(
                code: .refusedDowngrade,
                message: "\(head) redirects to \(next.url), which isn't encrypted. "
                    + "Allow it with .follow(allowsDowngrade: true).",
                history: heads
            )
        }
        if next.url.origin != request.url.origin, next.body.containsCredentials(describedBy: next.header) {
            return ClientError(
                code: .crossOriginBody,
                message: "\(head) redirects a body that contains credentials to another origin, \(next.url). "
                    + "Send the request to that URL if it may have them.",
                history: heads
            )
        }
        if !next.body.isReplayable {
            return .bodyNotReplayable("\(head) redirects the request to \(next.url)", history: heads)
        }
        guard heads.count <= limit else {
            return ClientError(
                code: .redirectLimit,
                message: "\(head) is redirect \(heads.count), but at most \(limit) are allowed. "
                    + "Raise the limit with .follow(limit:).",
                history: heads
            )
        }
        return nil
    }
}

extension PreparedRequest {
    /// Returns the request that follows a redirect.
    fileprivate func redirected(by statusCode: Int, to url: RequestURL) -> PreparedRequest {
        var next = self
        next.move(to: url.inheriting(fragment: self.url.fragment))
        if statusCode == 303 && ![.get, .head].contains(method) || [301, 302].contains(statusCode) && method == .post {
            next.method = .get
        }
        if statusCode == 303 || next.method != method {
            next.body = .none
            next.header.removeAll { $0.describesBody }
        }
        return next
    }

    /// Changes the URL. Removes credentials and `Host` if the origin changes.
    ///
    /// - Parameter isCrossOrigin: Whether the URL counts as another origin in any case.
    /// - Returns: Whether the origin changed.
    @discardableResult
    package mutating func move(to url: RequestURL, isCrossOrigin: Bool = false) -> Bool {
        let originChanges = isCrossOrigin || url.origin != self.url.origin
        self.url = url.redacting(sameAs: self.url)
        if originChanges { header.removeAll { $0.isSensitive || $0.name.isSensitive || $0.name == .host } }
        return originChanges
    }
}

extension Field {
    /// Whether the field describes the request's body (RFC 9110 §15.4).
    fileprivate var describesBody: Bool {
        name.rawValue.utf8.prefix(8).map(ASCII.lowercased).elementsEqual("content-".utf8)
            || [.transferEncoding, "Expect", "Trailer", "Digest", "Last-Modified"].contains(name)
    }
}

extension Header {
    fileprivate mutating func removeAll(where isUnwanted: (Field) -> Bool) {
        if contains(where: isUnwanted) { self = Header(filter { !isUnwanted($0) }) }
    }
}

extension ClientError {
    fileprivate static func invalidRedirect(
        _ message: String,
        _ underlying: (any Error)? = nil,
        history: [ResponseHead]
    ) -> ClientError {
        ClientError(code: .invalidRedirect, message: message, history: history, underlying: underlying)
    }
}
