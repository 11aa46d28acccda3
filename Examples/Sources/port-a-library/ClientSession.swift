// `@preconcurrency`, because the library's models aren't `Sendable`.
@preconcurrency import Forecasts
import Foundation
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An implementation of the library's `Session` that sends over a Requests client.
struct ClientSession: Session {
    let client: Client

    func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await client.data(for: request)
    }

    func bytes(
        for request: URLRequest
    ) async throws -> (some AsyncSequence<UInt8, any Error>, URLResponse) {
        try await client.bytes(for: request)
    }

    func send(
        _ request: URLRequest,
        completion:
            @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) {
        Task {
            do {
                let (data, response) = try await client.data(for: request)
                completion(data, response, nil)
            } catch {
                completion(nil, nil, error)
            }
        }
    }
}
