import RequestsClient

/// Middleware that is a closure.
struct Interception: Middleware {
    private let body: @Sendable (PreparedRequest, CallContext, @escaping Next) async throws -> Response<ResponseBody>

    init(
        _ body:
            @escaping @Sendable (
                _ request: PreparedRequest, _ context: CallContext, _ next: @escaping Next
            ) async throws -> Response<ResponseBody>
    ) {
        self.body = body
    }

    /// Middleware that changes each request.
    static func changing(_ change: @escaping @Sendable (inout PreparedRequest) throws -> Void) -> Interception {
        Interception { request, _, next in
            var request = request
            try change(&request)
            return try await next(request)
        }
    }

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        try await body(request, context, next)
    }
}
