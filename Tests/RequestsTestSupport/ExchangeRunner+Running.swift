import Requests
import RequestsClient

extension ExchangeRunner {
    /// Runs an exchange that belongs to no call. The request's observer receives the events.
    package func run(
        _ request: PreparedRequest,
        _ operation: @escaping @Sendable (Exchange) async throws -> Void
    ) async throws -> Response<ResponseBody> {
        try await run(request, context: SendContext(request.options), operation)
    }
}
