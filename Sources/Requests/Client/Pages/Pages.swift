/// The pages of a long answer, each asked for when it is wanted.
public struct Pages<R: RequestConvertible>: AsyncSequence, Sendable {
    enum Order: Sendable {
        case links(acrossOrigins: Bool)
        case requests(@Sendable (Response<R.Resource>) throws -> R?)
    }

    let client: Client
    let first: R
    let order: Order

    /// Starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(client: client, request: first, order: order)
    }

    /// One reading of the pages.
    public struct Iterator: AsyncIteratorProtocol {
        let client: Client
        var request: R
        let order: Order
        private var last: Response<R.Resource>?
        private var isOver = false
        private var visited: Set<RequestURL> = []
        /// Where the first request went: credentials are for that.
        private var origin: RequestURL.Origin?
        /// Whether a page came from elsewhere. What that links to gets no credentials either, wherever it is.
        private var hasLeft = false

        init(client: Client, request: R, order: Order) {
            self.client = client
            self.request = request
            self.order = order
        }

        /// Asks for the next page.
        ///
        /// - Returns: The page with its head; `nil` after the last.
        /// - Throws: As ``Client/send(_:)``; ``ClientError/Code/foreignPage`` and ``ClientError/Code/pageLoop``. There
        ///   is no page after an error.
        public mutating func next() async throws -> Response<R.Resource>? {
            guard !isOver else { return nil }
            do {
                last = try await following()
            } catch {
                isOver = true
                throw error
            }
            isOver = last == nil
            return last
        }

        private mutating func following() async throws -> Response<R.Resource>? {
            switch order {
            case .requests(let next):
                if let last {
                    guard let following = try next(last) else { return nil }
                    request = following
                }
                return try await client.response(for: request)
            case .links(let acrossOrigins):
                guard let last else {
                    let url = try request.draft().unauthenticated.url
                    (origin, visited) = (url.origin, [url])
                    return try await client.response(for: request)
                }
                guard let url = try last.head.linkedURL("next") else { return nil }
                // Where a redirect has led, and was followed, is not foreign.
                guard acrossOrigins || url.origin == origin || url.origin == last.head.url.origin else {
                    throw ClientError.foreignPage(url, after: last.head)
                }
                hasLeft = hasLeft || url.origin != origin || last.head.url.origin != origin
                guard visited.insert(url).inserted else { throw ClientError.pageLoop(url, after: last.head) }
                return try await client.response(for: request, at: url, isForeign: hasLeft)
            }
        }
    }
}

extension Client {
    /// The pages of an answer, by their `Link` fields of the relation `next`.
    ///
    /// ```swift
    /// for try await page in client.pages(api.get(json: [Issue].self, from: "/issues")) { print(page.content.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request for the first page. The others are the same at other URLs.
    ///   - acrossOrigins: Whether links to other origins are followed, without credentials from then on; `false` by
    ///     default, where such a link is ``ClientError/Code/foreignPage``.
    ///
    /// Specification: RFC 8288 §3.
    public func pages<R: RequestConvertible>(_ request: R, acrossOrigins: Bool = false) -> Pages<R> {
        Pages(client: self, first: request, order: .links(acrossOrigins: acrossOrigins))
    }

    /// The pages of an answer, by what each of them says.
    ///
    /// - Parameters:
    ///   - request: The request for the first page.
    ///   - next: Makes the request for the page after one; `nil` after the last.
    public func pages<R: RequestConvertible>(
        _ request: R,
        next: @escaping @Sendable (Response<R.Resource>) throws -> R?
    ) -> Pages<R> {
        Pages(client: self, first: request, order: .requests(next))
    }
}

extension ClientError {
    fileprivate static func foreignPage(_ url: RequestURL, after head: ResponseHead) -> ClientError {
        ClientError(
            code: .foreignPage,
            message: "the page after \(head) is at \(url.origin); allow that with acrossOrigins: true",
            history: [head]
        )
    }

    fileprivate static func pageLoop(_ url: RequestURL, after head: ResponseHead) -> ClientError {
        ClientError(code: .pageLoop, message: "the page after \(head) is \(url), which came before", history: [head])
    }
}
