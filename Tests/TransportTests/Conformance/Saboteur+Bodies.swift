import RequestsClient

/// The saboteurs that change response bodies.
extension Saboteur {
    /// Reads each body to its end and replaces it.
    static func body(_ base: any Transport, _ change: @escaping @Sendable (Data) -> Data) -> Saboteur {
        Saboteur(base) { request, send in
            var response = try await send(request)
            response.content = ResponseBody(change(try await response.content.collect(upTo: .max)))
            return response
        }
    }

    /// Takes an exchange that fails with a code for a complete one. What has arrived is the response.
    static func accepting(_ code: TransportError.Code, _ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            var response: Response<ResponseBody>
            do {
                response = try await send(request)
            } catch let error as TransportError where error.code == code {
                return Response(
                    head: try ResponseHead(statusCode: 200, url: request.url),
                    content: ResponseBody(Data())
                )
            }
            response.content = relay(
                response.content,
                handling: { error in
                    guard (error as? TransportError)?.code == code else { throw error }
                }
            )
            return response
        }
    }

    /// Returns a body that receives another one at once, whether it is read or not.
    ///
    /// - Parameters:
    ///   - isOpen: Whether the body goes on. Called for each chunk.
    ///   - handle: Throws the error that ends the body instead of the received one, if any.
    static func relay(
        _ body: ResponseBody,
        while isOpen: @escaping @Sendable () -> Bool = { true },
        handling handle: @escaping @Sendable (any Error) throws -> Void = { throw $0 }
    ) -> ResponseBody {
        ResponseBody(
            AsyncThrowingStream { continuation in
                Task {
                    do {
                        for try await chunk in body where isOpen() { continuation.yield(chunk) }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: Result { try handle(error) }.failure)
                    }
                }
            }
        )
    }

    /// Receives each body at once, whether it is read or not.
    static func readingAhead(_ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            var response = try await send(request)
            response.content = relay(response.content)
            return response
        }
    }

    /// Delivers the whole body twice.
    static func repeatingBodies(_ base: any Transport) -> Saboteur {
        Saboteur(base) { request, send in
            var response = try await send(request)
            let data = try await response.content.collect(upTo: .max)
            response.content = ResponseBody(
                AsyncStream { continuation in
                    continuation.yield(data)
                    continuation.yield(data)
                    continuation.finish()
                }
            )
            return response
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
