import RequestsClient

/// A transport that breaks one requirement.
struct Saboteur: Transport {
    typealias Send = @Sendable (PreparedRequest) async throws -> Response<ResponseBody>

    private let base: any Transport
    private let shutsDown: Bool
    private let sabotage: @Sendable (PreparedRequest, @escaping Send) async throws -> Response<ResponseBody>

    init(
        _ base: any Transport,
        shutsDown: Bool = true,
        _ sabotage: @escaping @Sendable (PreparedRequest, @escaping Send) async throws -> Response<ResponseBody>
    ) {
        self.base = base
        self.shutsDown = shutsDown
        self.sabotage = sabotage
    }

    var capabilities: TransportCapabilities { base.capabilities }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        var observed = request
        observed.options.observer = context.observer
        return try await sabotage(observed) { [base] in
            var context = context
            context.observer = $0.options.observer
            if $0.options.timeouts != request.options.timeouts {
                context.deadline = Deadline(after: $0.options.timeouts.total)
            }
            return try await base.send($0, context: context)
        }
    }

    func shutdown() async {
        if shutsDown { await base.shutdown() }
    }
}

extension Saboteur {
    /// Changes the request.
    static func request(
        _ base: any Transport,
        _ change: @escaping @Sendable (inout PreparedRequest) throws -> Void
    ) -> Saboteur {
        Saboteur(base) { request, send in
            var changed = request
            try change(&changed)
            return try await send(changed)
        }
    }

    /// Changes the status code and header fields of the response.
    static func head(
        _ base: any Transport,
        _ change: @escaping @Sendable (Int, [Field]) -> (Int, [Field])
    ) -> Saboteur {
        Saboteur(base) { request, send in
            var response = try await send(request)
            let (status, fields) = change(response.head.statusCode, Array(response.head.header))
            response.head = try ResponseHead(statusCode: status, header: Header(fields), url: response.head.url)
            return response
        }
    }

    /// Changes the values of the response's header fields.
    static func values(_ base: any Transport, _ change: @escaping @Sendable (String) -> String) -> Saboteur {
        .head(base) { ($0, $1.map { Field(name: $0.name, value: change($0.value)) }) }
    }

    /// Starts each exchange only after the previous one has its response head.
    static func queueing(_ base: any Transport) -> Saboteur {
        let last = Locked<Task<Void, Never>?>(nil)
        return Saboteur(base) { request, send in
            let exchange = last.withLock { last in
                let exchange = Task { [last] in
                    await last?.value
                    return try await send(request)
                }
                last = Task { _ = await exchange.result }
                return exchange
            }
            return try await exchange.value
        }
    }

    /// Rejects every response.
    static func rejecting(_ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            let head = try await send(request).head
            throw TransportError(code: .malformed, message: "\(head)", phase: .receiving)
        }
    }

    /// Reports that a request may have been processed whose connection failed.
    static func blamingServer(_ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            do {
                return try await send(request)
            } catch let error as TransportError {
                throw TransportError(code: error.code, message: error.message, phase: .sending)
            }
        }
    }

    /// Sends a request without TLS if it fails with TLS.
    static func fallingBack(_ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            do {
                return try await send(request)
            } catch let error as TransportError where error.code == .tlsFailed {
                var plain = request
                plain.url = try RequestURL("http://\(request.url.origin.host):\(request.url.origin.port)/")
                _ = try? await send(plain)
                throw error
            }
        }
    }

    /// Fails instead of opening a new connection to a server that it knows.
    static func withoutReconnecting(_ base: any Transport) -> Saboteur {
        let known = Locked<Set<RequestURL.Origin>>([])
        return Saboteur(base) { request, send in
            guard known.withLock({ $0.insert(request.url.origin).inserted }) else {
                throw TransportError(code: .closed, message: "the connection is stale", phase: .sending)
            }
            return try await send(request)
        }
    }

    /// Withholds events from the observer.
    static func hidingEvents(
        _ base: any Transport,
        _ isHidden: @escaping @Sendable (PreparedRequest.Event) -> Bool
    ) -> Saboteur {
        .request(base) { request in
            guard let observer = request.options.observer else { return }
            request.options.observer = { if !isHidden($0) { observer($0) } }
        }
    }

    /// Ignores the cancellation of the task.
    static func ignoringCancellation(_ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            // A detached task isn't canceled with the caller.
            try await Task.detached {
                var response = try await send(request)
                response.content = ResponseBody(try await response.content.collect(upTo: .max))
                return response
            }.value
        }
    }

    /// Fails every request after a canceled one.
    static func brokenByCancellation(_ base: any Transport) -> Saboteur {
        let isBroken = Locked(false)
        return Saboteur(base) { request, send in
            defer { isBroken.withLock { $0 = $0 || Task.isCancelled } }
            let response = try await send(request)
            guard !isBroken.withLock({ $0 }) else {
                throw TransportError(code: .closed, message: "an earlier request was canceled", phase: .sending)
            }
            return response
        }
    }

    /// Retries failed and challenged requests.
    static func retrying(_ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            do {
                let response = try await send(request)
                return response.head.statusCode == 401 ? try await send(request) : response
            } catch {
                return try await send(request)
            }
        }
    }

    /// Follows redirects, with all credentials.
    static func followingRedirects(_ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            let response = try await send(request)
            guard let location = response.head.header[.location] else { return response }
            var next = request
            next.url = try RequestURL(location)
            return try await send(next)
        }
    }

    /// Keeps cookies and sends them back.
    static func keepingCookies(_ base: any Transport) -> Saboteur {
        let cookie = Locked<String?>(nil)
        return Saboteur(base) { request, send in
            var request = request
            if let value = cookie.withLock({ $0 }) { request.header.set(Field(name: .cookie, value: value)) }
            let response = try await send(request)
            cookie.withLock { $0 = response.head.header[.setCookie] }
            return response
        }
    }

    private static let knownHosts = Locked<Set<RequestURL.Origin>>([])

    /// Uses another transport for hosts that an earlier saboteur has connected to.
    static func rememberingHosts(_ base: any Transport, known: any Transport) -> Saboteur {
        let hosts = knownHosts.withLock { $0 }
        return Saboteur(base) { request, send in
            if hosts.contains(request.url.origin) { return try await known.send(request) }
            let response = try await send(request)
            knownHosts.withLock { _ = $0.insert(request.url.origin) }
            return response
        }
    }

    /// Returns the first response of a server for all requests to it.
    static func caching(_ base: any Transport) -> Saboteur {
        let responses = Locked<[RequestURL.Origin: (head: ResponseHead, data: Data)]>([:])
        return Saboteur(base) { request, send in
            if let known = responses.withLock({ $0[request.url.origin] }) {
                return Response(head: known.head, content: ResponseBody(known.data))
            }
            let response = try await send(request)
            let data = try await response.content.collect(upTo: .max)
            responses.withLock { $0[request.url.origin] = (response.head, data) }
            return Response(head: response.head, content: ResponseBody(data))
        }
    }
}
