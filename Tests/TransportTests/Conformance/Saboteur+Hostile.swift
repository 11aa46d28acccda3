import RequestsClient

/// The saboteurs for servers that break the rules of HTTP/2.
extension Saboteur {
    /// Adds to every response, and takes every failure for the end of a response.
    static let misjudging: @Sendable (any Transport) -> Saboteur = { base in
        Saboteur(base) { request, send in
            do {
                var response = try await send(request)
                response.content = appending(to: response.content)
                return response
            } catch is TransportError {
                let head = try ResponseHead(statusCode: 200, url: request.url)
                return Response(head: head, content: ResponseBody(Data("!".utf8)))
            }
        }
    }

    private static func appending(to body: ResponseBody) -> ResponseBody {
        ResponseBody(
            AsyncStream { continuation in
                Task {
                    defer { continuation.finish() }
                    do {
                        for try await chunk in body { continuation.yield(chunk) }
                    } catch {}
                    continuation.yield(Data("!".utf8))
                }
            }
        )
    }

    /// Fails every request after a failed one.
    static let brokenByFailure: @Sendable (any Transport) -> Saboteur = { base in
        let failure = Locked<TransportError?>(nil)
        return Saboteur(base) { request, send in
            if let failure = failure.withLock({ $0 }) { throw failure }
            do {
                return try await send(request)
            } catch let error as TransportError {
                failure.withLock { $0 = error }
                throw error
            }
        }
    }

    /// Ends the open bodies from all servers when an exchange with one of them fails.
    static let endingOtherBodies: @Sendable (any Transport) -> Saboteur = { spreading($0) { $0 < $1 } }

    /// Ends all bodies after an exchange fails.
    static let spreadingFailures: @Sendable (any Transport) -> Saboteur = { spreading($0) { _, _ in true } }

    /// Ends bodies after an exchange fails, if the closure returns `true` for the numbers of both exchanges.
    private static func spreading(
        _ base: any Transport,
        _ isAffected: @escaping @Sendable (_ number: Int, _ failed: Int) -> Bool
    ) -> Saboteur {
        let state = Locked<(started: Int, failed: Int?)>((0, nil))
        return Saboteur(base) { request, send in
            let number = state.withLock { state in
                state.started += 1
                return state.started
            }
            do {
                var response = try await send(request)
                response.content = relay(
                    response.content,
                    while: { state.withLock { $0.failed }.map { isAffected(number, $0) } != true }
                )
                return response
            } catch let error as TransportError {
                state.withLock { $0.failed = number }
                throw error
            }
        }
    }

    /// Never returns from an exchange that fails.
    static let hangingOnFailure: @Sendable (any Transport) -> Saboteur = { base in
        Saboteur(base) { request, send in
            do {
                return try await send(request)
            } catch let error as TransportError {
                let (never, continuation) = AsyncStream.makeStream(of: Never.self)
                for await _ in never {}
                withExtendedLifetime(continuation) {}
                throw error
            }
        }
    }
}
