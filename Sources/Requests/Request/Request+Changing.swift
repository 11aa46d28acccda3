import Foundation

extension Request {
    /// Sets the method.
    public consuming func using(method: HTTPMethod) -> Request {
        self.method = method
        return self
    }

    /// Replaces the whole header.
    public consuming func with(header: Header) -> Request {
        self.header = header
        return self
    }

    /// Appends a field; fields of the same name stay.
    public consuming func adding(headerField field: Field) -> Request {
        header.add(field)
        return self
    }

    /// Appends fields; fields of the same names stay.
    public consuming func adding(headerFields fields: [Field]) -> Request {
        for field in fields { header.add(field) }
        return self
    }

    /// Appends fields; fields of the same names stay.
    public consuming func adding(headerFields fields: Field...) -> Request {
        for field in fields { header.add(field) }
        return self
    }

    /// Puts a field in the place of all fields of its name.
    public consuming func setting(headerField field: Field) -> Request {
        header.set(field)
        return self
    }

    /// Replaces the query items; those of the base URL stay.
    public consuming func with(query: Query) -> Request {
        queryItems = query.items
        return self
    }

    // Disfavoured, so that an error in a literal is told of the query that it was meant to be, value by value.
    /// Replaces the query items; those of the base URL stay.
    @_disfavoredOverload
    public consuming func with(query items: [URLQueryItem]) -> Request {
        queryItems = items
        return self
    }

    /// Appends query items, such as those of ``Query/encoding(_:style:)``.
    public consuming func adding(query: Query) -> Request {
        queryItems += query.items
        return self
    }

    /// Appends a query item.
    public consuming func adding(queryItem item: URLQueryItem) -> Request {
        queryItems.append(item)
        return self
    }

    /// Appends query items.
    public consuming func adding(queryItems items: [URLQueryItem]) -> Request {
        queryItems += items
        return self
    }

    /// Appends query items.
    public consuming func adding(queryItems items: URLQueryItem...) -> Request {
        queryItems += items
        return self
    }

    /// Sets the body.
    public consuming func sending(_ body: BodyProvider) -> Request {
        bodyProvider = body
        return self
    }

    /// Sets who makes the request.
    public consuming func authenticated(with provider: AuthenticationProvider) -> Request {
        authenticationProvider = provider
        return self
    }

    /// Sets how long to wait. What is `nil`, the default, stays as it is.
    ///
    /// - Parameters:
    ///   - connect: Until the connection stands.
    ///   - idle: Without a byte moving.
    ///   - total: From the call to the last byte of the response; with a client, over redirects and retries too.
    public consuming func timeouts(
        connect: Duration? = nil,
        idle: Duration? = nil,
        total: Duration? = nil
    ) -> Request {
        options.timeouts = Timeouts(connect: connect, idle: idle, total: total).filled(from: options.timeouts)
        return self
    }

    /// Sets the idle timeout: how many seconds may pass without a byte moving.
    ///
    /// A slow response takes as long as it takes: a limit to the whole is ``timeouts(connect:idle:total:)``.
    public consuming func timeout(after interval: TimeInterval) -> Request {
        timeoutInterval = interval
        return self
    }

    /// Sets who is told what happens to each exchange that the request takes: redirects and retries included.
    ///
    /// ```swift
    /// let upload = api.put(.file(photo), to: "/photos/7").observing { event in
    ///     if case .sent(let bytes, let total?) = event { print("\(bytes) of \(total)") }
    /// }
    /// ```
    ///
    /// - Parameter observer: Runs on the transport's thread and holds up all its exchanges: it hands on what it is told,
    ///   and returns. It takes the place of one that was set before.
    public consuming func observing(_ observer: @escaping @Sendable (TransportEvent) -> Void) -> Request {
        self.observer = observer
        return self
    }

    /// Replaces what is asked of the transport, timeouts included.
    public consuming func with(options: RequestOptions) -> Request {
        self.options = options
        return self
    }

    /// Sets which redirects are followed, whatever the client follows.
    public consuming func redirecting(_ policy: RedirectPolicy) -> Request {
        options.redirects = policy
        return self
    }

    /// Sets when the request is sent again, whenever the client does so.
    public consuming func retrying(_ policy: RetryPolicy) -> Request {
        options.retries = policy
        return self
    }
}
