/// Decides which redirects a client follows.
///
/// A redirect to another origin (scheme, host or port) removes `Authorization`, `Cookie`, `Proxy-Authorization`,
/// `Host`, all sensitive fields and trailers, and the request's authentication. Later redirects don't restore them.
///
/// A body isn't sent to another origin, because it may contain credentials: such a redirect throws
/// ``ClientError/Code/crossOriginBody``. It is sent if it is empty, from `http` to `https` of the same host, or if
/// ``sendsBodyToOtherOrigins`` is `true`. A redirect that changes the method to `GET` has no body.
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

    /// Whether bodies are sent to other origins. Otherwise such redirects throw ``ClientError/Code/crossOriginBody``.
    public let sendsBodyToOtherOrigins: Bool

    let condition: Identified<@Sendable (ResponseHead, PreparedRequest) -> Bool>?

    private init(
        limit: Int,
        allowsDowngrade: Bool,
        sendsBodyToOtherOrigins: Bool,
        condition: Identified<@Sendable (ResponseHead, PreparedRequest) -> Bool>? = nil
    ) {
        self.limit = limit
        self.allowsDowngrade = allowsDowngrade
        self.sendsBodyToOtherOrigins = sendsBodyToOtherOrigins
        self.condition = condition
    }

    /// The settings in one line. A condition is shown by its identity, by which it is compared.
    package var summary: String {
        "limit \(limit)" + (allowsDowngrade ? ", allowsDowngrade" : "")
            + (sendsBodyToOtherOrigins ? ", sendsBodyToOtherOrigins" : "")
            + (condition.map { ", condition \(ObjectIdentifier($0))" } ?? "")
    }

    /// Follows no redirects. The caller gets the response that redirects.
    public static let never = RedirectPolicy(limit: 0, allowsDowngrade: false, sendsBodyToOtherOrigins: false)

    /// Follows redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects. Default: 10.
    ///   - allowsDowngrade: Whether redirects from `https` to `http` are followed. Default: `false`.
    ///   - sendsBodyToOtherOrigins: Whether other origins get the body. Default: `false`.
    public static func follow(
        limit: Int = 10,
        allowsDowngrade: Bool = false,
        sendsBodyToOtherOrigins: Bool = false
    ) -> RedirectPolicy {
        RedirectPolicy(
            limit: limit,
            allowsDowngrade: allowsDowngrade,
            sendsBodyToOtherOrigins: sendsBodyToOtherOrigins
        )
    }

    /// Follows the redirects that satisfy a condition. For others, the caller gets the response that redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects. Default: 10.
    ///   - allowsDowngrade: Whether redirects from `https` to `http` are followed. Default: `false`.
    ///   - sendsBodyToOtherOrigins: Whether other origins get the body. Default: `false`.
    ///   - condition: Receives the response that redirects and the request that would follow.
    public static func follow(
        limit: Int = 10,
        allowsDowngrade: Bool = false,
        sendsBodyToOtherOrigins: Bool = false,
        where condition: @escaping @Sendable (ResponseHead, PreparedRequest) -> Bool
    ) -> RedirectPolicy {
        RedirectPolicy(
            limit: limit,
            allowsDowngrade: allowsDowngrade,
            sendsBodyToOtherOrigins: sendsBodyToOtherOrigins,
            condition: Identified(condition)
        )
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
        // Middleware or authentication may have moved the request. A relative redirect starts at the URL that was sent.
        let isElsewhere = !head.url.hasOrigin(of: request.url)
        let base = isElsewhere || head.url.path != request.url.path ? head.url : request.url
        var next = request
        let mayBeSent: Bool
        do {
            // The server may repeat credentials in the URL that authentication added to the previous one.
            let target = try base.resolving(location).redacting(sameAs: head.url)
            let url = target.inheriting(fragment: request.url.fragment)
            next.redirect(by: head.statusCode)
            mayBeSent = next.move(to: url, isAway: isElsewhere, sendsBody: sendsBodyToOtherOrigins)
        } catch {
            return .stop(.invalidRedirect("\(head) redirects to an invalid URL: \(error)", error, history: heads))
        }
        if let condition, !condition.call(head, next) { return .deliver }
        if base.isSecure, !next.url.isSecure, !allowsDowngrade {
            return .stop(.refusedDowngrade(head, to: next.url, history: heads))
        }
        if !mayBeSent { return .stop(.crossOriginBody(head, to: next.url, history: heads)) }
        if !next.body.isReplayable {
            return .stop(.bodyNotReplayable("\(head) redirects the request to \(next.url)", history: heads))
        }
        return heads.count > limit ? .stop(.redirectLimit(head, limit, history: heads)) : .follow(next)
    }

    package static func redirects(_ statusCode: Int) -> Bool {
        switch statusCode {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

extension PreparedRequest {
    /// Changes the method and the body as a redirect requires.
    fileprivate mutating func redirect(by statusCode: Int) {
        let isPost = [301, 302].contains(statusCode) && method == .post
        let isReplaced = isPost || statusCode == 303 && ![.get, .head].contains(method)
        if isReplaced { method = .get }
        if isReplaced || statusCode == 303 {
            body = .none
            header.removeAll { $0.describesBody }
        }
        removeTemplate()
    }

    /// Moves the request to a URL that a server chose. Redirects and links go through here.
    ///
    /// At another origin the request loses its credentials, all sensitive fields and trailers, `Host` and its template.
    ///
    /// - Parameters:
    ///   - isAway: Whether the URL counts as another origin in any case.
    ///   - sendsBody: Whether another origin may get the body.
    /// - Returns: Whether the request may be sent there. If not, its body isn't empty and belongs to the origin before.
    package mutating func move(to url: RequestURL, isAway: Bool = false, sendsBody: Bool = false) -> Bool {
        let (origin, next) = (self.url.origin, url.origin)
        self.url = url.redacting(sameAs: self.url)
        guard isAway || origin != next else { return true }
        removeTemplate()
        header.removeAll { $0.isCredential || $0.name == .host }
        if let trailers = body.trailers {
            body = body.with(trailers: { Header(try trailers().filter { !$0.isCredential }) })
        }
        return sendsBody || body.length == 0
            || !isAway && origin.host == next.host && origin.scheme == "http" && next.scheme == "https"
    }
}

extension Field {
    fileprivate var isCredential: Bool { isSensitive || name.isSensitive }
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
    /// - Parameter head: The response that leads to another origin.
    package static func crossOriginBody(
        _ head: ResponseHead,
        to url: RequestURL,
        history: [ResponseHead]
    ) -> ClientError {
        ClientError(
            code: .crossOriginBody,
            message: "\(head) leads to another origin, \(url), which doesn't get the request's body. Send the request "
                + "to that URL, or allow it with .follow(sendsBodyToOtherOrigins: true).",
            history: history
        )
    }

    /// - Parameter head: The response that leads to the URL.
    package static func refusedDowngrade(
        _ head: ResponseHead,
        to url: RequestURL,
        history: [ResponseHead]
    ) -> ClientError {
        ClientError(
            code: .refusedDowngrade,
            message: "\(head) leads to \(url), which isn't encrypted. Allow it with .follow(allowsDowngrade: true).",
            history: history
        )
    }

    fileprivate static func redirectLimit(_ head: ResponseHead, _ limit: Int, history: [ResponseHead]) -> ClientError {
        ClientError(
            code: .redirectLimit,
            message: "\(head) is redirect \(history.count), but at most \(limit) are allowed. "
                + "Raise the limit with .follow(limit:).",
            history: history
        )
    }

    fileprivate static func invalidRedirect(
        _ message: String,
        _ underlying: (any Error)? = nil,
        history: [ResponseHead]
    ) -> ClientError {
        ClientError(code: .invalidRedirect, message: message, history: history, underlying: underlying)
    }
}
