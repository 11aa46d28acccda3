import Dispatch
import Requests
import RequestsClient

extension LoopbackServer {
    /// Starts an HTTP/1.1 server that responds as a stub does, so that any client, language or process can use its
    /// routes.
    ///
    /// ```swift
    /// let stub = StubTransport(routes: [
    ///     .get("/users/{id}", .reply(200, jsonText: #"{"id": 7}"#))
    /// ])
    /// let server = try LoopbackServer.http(stub)
    /// // The code under test sends requests to server.baseURL.
    /// try stub.verify()
    /// ```
    ///
    /// Requests have the URL of the server, so a route's template needs no origin. A request without a route gets the
    /// status 501 and the stub's message. If a closure throws, the response has the status 500, and ``errors`` contains
    /// the error. A reply that is a failure resets the connection. Trailers are sent if the reply has chunks.
    ///
    /// - Parameter stub: The stub, which records the requests.
    public static func http(_ stub: StubTransport) throws -> LoopbackServer {
        let log = Log()
        return try LoopbackServer(log) { connection in
            while let request = try connection.readRequest() {
                log.add(request)
                do {
                    try connection.write(log.answer(answer(of: stub, to: request)), toMethod: request.method)
                } catch {
                    return connection.reset()
                }
            }
        }
    }

    /// Returns the stub's response, or the error of a closure.
    ///
    /// - Throws: The error of a reply that is a failure.
    private static func answer(of stub: StubTransport, to request: Request) throws -> Result<Answer, any Error> {
        do {
            return .success(try wait { try await stub.answer(to: request) })
        } catch let error as TransportError where error.code == .unmatched {
            return .success(Answer(501, .plainText, error.message))
        } catch let error where !(error is TransportError) {
            return .failure(error)
        }
    }

    /// Blocks the thread of a connection until an asynchronous operation ends.
    fileprivate static func wait<Value: Sendable>(
        for operation: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let end = DispatchSemaphore(value: 0)
        let result = Locked<Result<Value, any Error>>(.failure(CancellationError()))
        Task {
            let outcome = await Result(awaiting: operation)
            result.withLock { $0 = outcome }
            end.signal()
        }
        end.wait()
        return try result.withLock { try $0.get() }
    }
}

extension StubTransport {
    /// Returns the response to a request that a server received. Its body is streamed unless it is in memory.
    fileprivate func answer(to request: LoopbackServer.Request) async throws -> LoopbackServer.Answer {
        let prepared = try PreparedRequest(
            method: request.method,
            url: RequestURL("http://\(request.header[.host] ?? "127.0.0.1")\(request.target)"),
            // The transport frames the message.
            header: Header(request.header.filter { ![.host, .contentLength, .transferEncoding].contains($0.name) }),
            body: request.body.isEmpty ? .none : .data(request.body)
        )
        let informational = Locked<[ResponseHead]>([])
        let context = SendContext { event in
            if case .informational(let head) = event { informational.withLock { $0.append(head) } }
        }
        let response = try await send(prepared, context: context)
        var answer = LoopbackServer.Answer(response.statusCode, header: response.header)
        answer.informational = informational.withLock(\.self)
        if response.content.isComplete {
            switch await Result(awaiting: { try await response.content.collect(upTo: .max) }) {
            case .success(let body): answer.body = body
            case .failure(let error): answer.stream = { _ in throw error }
            }
            return answer
        }
        answer.header.remove(.contentLength)
        answer.trailers = { response.content.trailers }
        answer.stream = { body in
            while let chunk = try LoopbackServer.wait(for: { try await response.content.nextChunk() }) {
                try body.write(chunk)
            }
        }
        return answer
    }
}
