extension RedirectPolicy {
    /// What comes after a response.
    public enum Step: Sendable {
        /// Send this request next. Its credentials are only those that may go there.
        case follow(PreparedRequest)
        /// The response is the answer.
        case deliver
        /// The redirect cannot be followed.
        case stop(ClientError)
    }

    /// A redirect that was followed.
    public struct Hop: Sendable {
        /// The request.
        public let request: PreparedRequest
        /// The response that redirected it.
        public let head: ResponseHead

        /// Creates a hop.
        public init(request: PreparedRequest, head: ResponseHead) {
            self.request = request
            self.head = head
        }
    }

    /// Decides what comes after a response.
    ///
    /// - Parameters:
    ///   - head: The response's head.
    ///   - request: The request that it answers.
    ///   - history: What was followed before, oldest first.
    public func step(after head: ResponseHead, to request: PreparedRequest, history: [Hop] = []) -> Step {
        guard limit > 0, RedirectPolicy.redirects(head.statusCode) else { return .deliver }
        let locations = head.header[values: .location]
        guard let location = locations.first else { return .deliver }
        let heads = history.map(\.head) + [head]
        guard locations.allSatisfy({ $0.utf8.elementsEqual(location.utf8) }) else {
            return .stop(.invalidRedirect("\(head) redirects to \(locations.count) places", history: heads))
        }
        let next: PreparedRequest
        do {
            // What authentication has put into the URL that answered, a server repeats in the next one.
            let url = try request.url.resolving(location).hidingAlso(whatIsHiddenIn: head.url)
            next = request.redirected(by: head.statusCode, to: url)
        } catch {
            return .stop(.invalidRedirect("\(head) redirects to no URL of HTTP: \(error)", error, history: heads))
        }
        if let condition, !condition.call(head, next) { return .deliver }
        return fault(of: next, after: head, to: request, history: history, heads: heads).map { .stop($0) }
            ?? .follow(next)
    }

    static func redirects(_ statusCode: Int) -> Bool {
        switch statusCode {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    private func fault(
        of next: PreparedRequest,
        after head: ResponseHead,
        to request: PreparedRequest,
        history: [Hop],
        heads: [ResponseHead]
    ) -> ClientError? {
        if !allowsDowngrade, request.url.isSecure, !next.url.isSecure {
            return ClientError(
                code: .refusedDowngrade,
                message: "\(head) redirects to \(next.url), which is not encrypted; "
                    + "allow it with .follow(allowsDowngrade: true)",
                history: heads
            )
        }
        if !next.body.isReplayable {
            return .bodyNotReplayable("\(head) asks for the request at \(next.url)", history: heads)
        }
        if RedirectPolicy.repeats(next, history + [Hop(request: request, head: head)]) {
            return ClientError(
                code: .redirectLoop,
                message: "\(head) redirects to \(next), which redirected before",
                history: heads
            )
        }
        guard history.count < limit else {
            return ClientError(
                code: .redirectLimit,
                message: "\(head) is redirect \(history.count + 1) of at most \(limit); "
                    + "raise the limit with .follow(limit:)",
                history: heads
            )
        }
        return nil
    }

    /// Whether nothing has changed since the request was made the last time: neither method nor URL, and no cookie.
    private static func repeats(_ next: PreparedRequest, _ hops: [Hop]) -> Bool {
        let earlier = hops.lastIndex {
            $0.request.method == next.method && $0.request.url.textBeforeFragment == next.url.textBeforeFragment
        }
        guard let earlier else { return false }
        return !hops[earlier...].contains { $0.head.header.contains(.setCookie) }
    }
}

extension PreparedRequest {
    /// Returns the request as it goes on to where it was redirected.
    fileprivate func redirected(by statusCode: Int, to url: RequestURL) -> PreparedRequest {
        var next = self
        next.move(to: url.inheriting(fragment: self.url.fragment))
        if statusCode == 303 && ![.get, .head].contains(method) || [301, 302].contains(statusCode) && method == .post {
            next.method = .get
        }
        if statusCode == 303 || next.method != method {
            next.body = .none
            next.header.removeAll { $0.isOfBody }
        }
        return next
    }

    /// Sends the request elsewhere; at another origin without what was meant for this one.
    ///
    /// - Parameter isForeign: Whether another origin has named the URL, so that it counts as one.
    /// - Returns: Whether it is, or counts as, another origin.
    @discardableResult
    mutating func move(to url: RequestURL, isForeign: Bool = false) -> Bool {
        let isElsewhere = isForeign || url.origin != self.url.origin
        self.url = url.hidingAlso(whatIsHiddenIn: self.url)
        if isElsewhere { header.removeAll { $0.isSensitive || $0.name == .host } }
        return isElsewhere
    }
}

extension Field {
    /// Whether the field speaks of the request's body (RFC 9110 §15.4).
    fileprivate var isOfBody: Bool {
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
