import Requests

extension Client {
    /// Returns the pages of a list, following the `next` links of their `Link` fields.
    ///
    /// ```swift
    /// for try await page in client.pages(
    ///     api.get(json: [Issue].self, from: "/issues")
    /// ) {
    ///     print(page.content.count)
    /// }
    /// ```
    ///
    /// Each page is requested when the previous one was consumed. The sequence throws the errors of
    /// ``send(_:progress:)``, `ClientError.Code.crossOriginPage` and `ClientError.Code.pageLoop`, and ends with an
    /// error.
    ///
    /// - Parameters:
    ///   - request: The request for the first page. The others differ only in their URL.
    ///   - acrossOrigins: Whether links to other origins are followed, without credentials from then on, and without a
    ///     body unless the redirect policy sends bodies to other origins. Default: `false`.
    ///
    /// Specification: RFC 8288 §3.
    public func pages<R: PreparableRequest>(
        _ request: R,
        acrossOrigins: Bool = false
    ) -> some AsyncSequence<Response<R.Resource>, any Error> & Sendable {
        Pages(runner: runner, first: request, order: .links(acrossOrigins: acrossOrigins))
    }

    /// Returns the pages of a list whose content says how to get the next one.
    ///
    /// - Parameters:
    ///   - request: The request for the first page.
    ///   - next: Makes the request for the following page. Returns `nil` after the last one.
    public func pages<R: PreparableRequest>(
        _ request: R,
        next: @escaping @Sendable (Response<R.Resource>) throws -> R?
    ) -> some AsyncSequence<Response<R.Resource>, any Error> & Sendable {
        Pages(runner: runner, first: request, order: .requests(next))
    }
}

/// The pages of a list, each requested on demand.
private struct Pages<Input: PreparableRequest>: AsyncSequence, Sendable {
    typealias Page = Response<Input.Resource>

    enum Order: Sendable {
        case links(acrossOrigins: Bool)
        case requests(@Sendable (Page) throws -> Input?)
    }

    let runner: CallRunner
    let first: Input
    let order: Order

    func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Returns the first page's request at another URL.
    ///
    /// - Parameter head: The response with the link.
    private func linked(to url: RequestURL, after head: ResponseHead, isAway: Bool) -> AdjustedRequest<Input> {
        let policy = runner.configuration.options.redirects
        return AdjustedRequest(first, authenticatedWith: isAway ? AuthenticationProvider.none : nil) { request in
            let policy = request.options.redirects ?? policy ?? .follow()
            guard url.isSecure || !head.url.isSecure || policy.allowsDowngrade else {
                throw ClientError.refusedDowngrade(head, to: url, history: [head])
            }
            guard request.move(to: url, isAway: isAway, sendsBody: policy.sendsBodyToOtherOrigins) else {
                throw ClientError.crossOriginBody(head, to: url, history: [head])
            }
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case start
            case after(Page)
            case end
        }

        private let pages: Pages
        private var state = State.start
        private var trail = Trail()

        init(pages: Pages) { self.pages = pages }

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Page? {
            let previous = state
            // Stays if anything below throws.
            state = .end
            let page: Page
            switch (previous, pages.order) {
            case (.end, _): return nil
            case (.start, .requests): page = try await pages.runner.response(to: pages.first)
            case (.start, .links):
                let plan = try pages.runner.plan(pages.first)
                page = try await pages.runner.response(to: plan, decodedBy: pages.first.responseDecoder)
                // Middleware and redirects may have moved the request.
                trail.start(plan.request.url)
            case (.after(let last), .links(let acrossOrigins)):
                guard let url = try last.head.linkedURL("next") else { return nil }
                try trail.follow(url, from: last.head, last.history, acrossOrigins: acrossOrigins)
                let input = pages.linked(to: url, after: last.head, isAway: trail.hasLeftOrigin)
                page = try await pages.runner.response(to: input)
            case (.after(let last), .requests(let next)):
                guard let input = try next(last) else { return nil }
                page = try await pages.runner.response(to: input)
            }
            state = .after(page)
            return page
        }
    }
}

/// The URLs of the pages so far.
private struct Trail {
    private var visited: Set<RequestURL> = []
    private var origin: RequestURL.Origin?
    /// Whether a page came from another origin. Its links get no credentials, wherever they lead.
    private(set) var hasLeftOrigin = false

    mutating func start(_ url: RequestURL) { (origin, visited) = (url.origin, [url]) }

    mutating func follow(
        _ url: RequestURL,
        from head: ResponseHead,
        _ history: [ResponseHead],
        acrossOrigins: Bool
    ) throws(ClientError) {
        // A redirect that was followed is permission for its target's origin.
        guard acrossOrigins || url.origin == origin || url.origin == head.url.origin else {
            throw ClientError(
                code: .crossOriginPage,
                message: "The page after \(head) is on another origin, \(url.origin). "
                    + "Allow it with acrossOrigins: true.",
                history: [head]
            )
        }
        hasLeftOrigin =
            hasLeftOrigin || url.origin != origin || (history + [head]).contains { $0.url.origin != origin }
        guard visited.insert(url).inserted else {
            throw ClientError(
                code: .pageLoop,
                message: "The page after \(head) is \(url), which was already requested.",
                history: [head]
            )
        }
    }
}
