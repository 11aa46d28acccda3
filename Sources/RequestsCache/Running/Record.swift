import Foundation
import Requests
import RequestsClient

/// One response on its way into the store. A store that fails only ends the record.
struct Record: Sendable {
    /// The response. Its length grows with the body.
    var response: HTTPCache.StoredResponse
    /// `nil` after the end.
    var writer: (any CacheWriter)?
    /// The length that the body must have. `nil` if it's unknown.
    let expectedLength: Int64?
    /// The exchange, which ends with the record.
    let flight: Flight?
    let log: @Sendable (String) -> Void

    mutating func append(_ chunk: Data) async {
        do {
            try await writer?.append(chunk)
            response.length += Int64(chunk.count)
        } catch {
            await fail(error)
        }
    }

    /// The body is complete.
    mutating func finish() async {
        guard response.length == expectedLength ?? response.length, let writer else { return await cancel() }
        do {
            try await writer.finish(response.completed)
            flight?.finish(.stored)
        } catch {
            await fail(error)
        }
    }

    /// The body is incomplete.
    mutating func cancel() async {
        await writer?.cancel()
        writer = nil
        flight?.finish(.notShared)
    }

    private mutating func fail(_ error: any Error) async {
        await cancel()
        log("the response isn't stored: \(HTTPCache.reason(of: error))")
    }
}
