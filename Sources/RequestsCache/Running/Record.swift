import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One response on its way into the store. A store that fails only ends the record.
struct Record: Sendable {
    /// The response. Its length grows with the body.
    var response: HTTPCache.StoredResponse
    /// The stored bytes that the body continues. `nil` after they are written.
    var prefix: ResponseBody?
    /// `nil` after the end.
    var writer: (any CacheWriter)?
    /// The length that the body must have. `nil` if it's unknown.
    let expectedLength: Int64?
    /// The exchange, which ends with the record.
    let flight: Flight?
    let log: @Sendable (String) -> Void

    mutating func append(_ chunk: Data) async {
        do {
            while let stored = try await prefix?.nextChunk() { try await write(stored) }
            prefix = nil
            try await write(chunk)
        } catch {
            await fail(error)
        }
    }

    private mutating func write(_ chunk: Data) async throws {
        try await writer?.append(chunk)
        response.length += Int64(chunk.count)
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
