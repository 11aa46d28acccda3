// `consuming` changes the request in place. Without it, a request that is defined and built takes 9 to 12 % more
// instructions.
extension Request {
    /// Returns the request with another method.
    public consuming func using(method: HTTPMethod) -> Request {
        self.method = method
        return self
    }

    /// Returns the request with another header, which replaces all fields, even the ones that the API set.
    ///
    /// To keep them, use ``adding(headerField:)`` or ``setting(_:_:)``.
    public consuming func with(header: Header) -> Request {
        self.header = header
        return self
    }

    /// Returns the request with a header field appended. Fields of the same name stay.
    public consuming func adding(headerField field: Field) -> Request {
        header.add(field)
        return self
    }

    /// Returns the request with header fields appended. Fields of the same names stay.
    public consuming func adding(headerFields fields: [Field]) -> Request {
        for field in fields { header.add(field) }
        return self
    }

    /// Returns the request with a header field that replaces all fields of its name. The same as
    /// ``setting(_:_:)``, for a field that you already have.
    public consuming func setting(headerField field: Field) -> Request {
        header.set(field)
        return self
    }

    /// Returns the request with a header field that replaces all fields of its name.
    ///
    /// ```swift
    /// let user = api.get(json: User.self, from: "/me").setting("X-Trace", "on")
    /// ```
    public consuming func setting(_ name: Field.Name, _ value: String) -> Request {
        header.set(Field(name: name, value: value))
        return self
    }

    /// Returns the request with changed properties.
    ///
    /// ```swift
    /// let archive = api.get(.data, from: "/archive").with {
    ///     $0.options.maximumBodyBytes = 1 << 30
    /// }
    /// ```
    public consuming func with<Failure>(_ change: (inout Request) throws(Failure) -> Void) throws(Failure) -> Request {
        try change(&self)
        return self
    }

    /// Returns the request with other query items. The items of the base URL and the endpoint stay.
    public consuming func with(query: Query) -> Request {
        queryItems = query.items
        return self
    }

    /// Returns the request with other query items. The same as `with(query: Query(items))`.
    public consuming func with(query items: [URLQueryItem]) -> Request {
        queryItems = items
        return self
    }

    /// Returns the request with the items of a query appended. See ``Query/encoding(_:style:)``.
    public consuming func adding(query: Query) -> Request {
        queryItems += query.items
        return self
    }

    /// Returns the request with a query item appended.
    public consuming func adding(queryItem item: URLQueryItem) -> Request {
        queryItems.append(item)
        return self
    }

    /// Returns the request with query items appended.
    public consuming func adding(queryItems items: [URLQueryItem]) -> Request {
        queryItems += items
        return self
    }

    /// Returns the request with a body.
    public consuming func sending(_ body: BodyProvider) -> Request {
        bodyProvider = body
        return self
    }

    /// Returns the request with an authentication provider.
    public consuming func authenticated(with provider: AuthenticationProvider) -> Request {
        authenticationProvider = provider
        return self
    }

    /// Returns the request with time limits. Limits that are `nil` stay as they are.
    ///
    /// - Parameters:
    ///   - connect: The time allowed to get a connection.
    ///   - idle: The time allowed without progress.
    ///   - attempt: The time allowed for each attempt.
    ///   - total: The time allowed for everything, including redirects and retries of a client.
    public consuming func timeouts(
        connect: Duration? = nil,
        idle: Duration? = nil,
        attempt: Duration? = nil,
        total: Duration? = nil
    ) -> Request {
        let timeouts = Timeouts(connect: connect, idle: idle, attempt: attempt, total: total)
        options.timeouts = timeouts.merging(options.timeouts)
        return self
    }

    /// Returns the request with an idle timeout in seconds. The same as `timeouts(idle: .seconds(interval))`.
    public consuming func timeout(after interval: TimeInterval) -> Request {
        timeoutInterval = interval
        return self
    }

    /// Returns the request with an observer of every attempt, including redirects and retries.
    ///
    /// ```swift
    /// let search = api.get(.text, from: "/search").observing { event in
    ///     if case .connected(_, let remote, _) = event {
    ///         print("connected to \(remote)")
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter observer: Replaces a previous observer. Return quickly: it blocks the transport's thread.
    public consuming func observing(_ observer: @escaping @Sendable (PreparedRequest.Event) -> Void) -> Request {
        options.observer = observer
        return self
    }

    /// Returns the request with other options, which replace all of them, timeouts and policies included.
    public consuming func with(options: CallOptions) -> Request {
        self.options = options
        return self
    }

    /// Returns the request with a redirect policy that replaces the client's.
    public consuming func redirecting(_ policy: RedirectPolicy) -> Request {
        options.redirects = policy
        return self
    }

    /// Returns the request with a retry policy that replaces the client's.
    public consuming func retrying(_ policy: RetryPolicy) -> Request {
        options.retries = policy
        return self
    }

    /// Returns the request with one generated `Idempotency-Key` for all attempts of each call, so that a client may
    /// retry any method. The server must support the field.
    ///
    /// Specification: draft-ietf-httpapi-idempotency-key-header.
    public consuming func idempotent() -> Request {
        options.isIdempotent = true
        return self
    }
}

// Spellings that are guessed, with the one that compiles.
extension Request {
    /// A field is set by ``setting(_:_:)``.
    @available(*, unavailable, message: "write .setting(\"Name\", value), or .adding(headerField:) to keep others")
    public func header(_ name: Field.Name, _ value: String) -> Request { setting(name, value) }

    /// A field that you already have is set by ``setting(headerField:)``.
    @available(*, unavailable, renamed: "setting(headerField:)")
    public func setting(_ field: Field) -> Request { setting(headerField: field) }
}
