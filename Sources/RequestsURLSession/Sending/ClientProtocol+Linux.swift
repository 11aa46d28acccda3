#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking
import Requests
import RequestsClient

extension URLSession {
    static func session(
        _ configuration: URLSessionConfiguration,
        over client: Client,
        _ delegate: (any URLSessionDelegate)?,
        _ delegateQueue: OperationQueue?
    ) -> URLSession {
        configuration.urlCache = ClientCarrier(client)
        let queue = DelegateQueue(passingTo: delegateQueue)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }
}

extension ClientProtocol {
    /// The reason why Foundation stops the load. `nil` if the task was suspended but resumed in the meantime.
    var stop: LoadState.Stop? {
        switch task?.state {
        case .running: nil
        case .suspended: .suspended
        default: .ended
        }
    }

    /// Returns the session's client, and the request with an upload task's body.
    func preparedRequest() throws -> (Client, PreparedRequest) {
        guard let sender = ClientCarrier.client(in: cachedResponse) else {
            throw URLError.unsupportedTask(
                task is URLSessionDownloadTask
                    ? "Foundation on Linux can't run download tasks over a client. Use data(for:), or the client's "
                        + "download(_:to:)."
                    : "This session supports only data and upload tasks. Use one, and keep the session's own urlCache."
            )
        }
        var prepared = try sender.prepared(request)
        if let upload = task as? URLSessionUploadTask { prepared.body = try UploadTaskBody(upload).requestBody }
        return (sender, prepared)
    }

    func sessionResponse(_ head: ResponseHead) throws -> HTTPURLResponse {
        let response = try head.httpURLResponse()
        guard head.statusCode == 401, let url = response.url else { return response }
        return UnchallengedResponse(
            url: url,
            statusCode: head.statusCode,
            httpVersion: head.httpVersion?.description,
            headerFields: response.allHeaderFields as? [String: String]
        ) ?? response
    }

    func finish(_ client: any URLProtocolClient) {
        UnchallengedResponse.$isFinishing.withValue(true) { client.urlProtocolDidFinishLoading(self) }
    }

    /// Passes a body to a delegate chunk by chunk if the head went to the delegate queue of a session of ours.
    ///
    /// Any other receiver gets the body as one piece: a completion handler, because Foundation would pass on only the
    /// last of several, and the delegate of a session that other code made from this configuration, because nothing
    /// public tells it from a completion handler.
    func deliver(_ head: HTTPURLResponse, _ body: ResponseBody, upTo maximumBytes: Int) async throws {
        let queue = try await report { client in
            DelegateQueue.used { client.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed) }
        }
        guard let queue else {
            let data = try await collect(body, upTo: maximumBytes)
            if !data.isEmpty { try await report { $0.urlProtocol(self, didLoad: data) } }
            return
        }
        while let chunk = try await nextChunk(of: body) {
            try await report { $0.urlProtocol(self, didLoad: chunk) }
            await queue.drain()
        }
    }

    private func collect(_ body: ResponseBody, upTo maximumBytes: Int) async throws -> Data {
        var data = Data()
        while data.count <= maximumBytes {
            guard let chunk = try await body.nextChunk() else { return data }
            data.append(chunk)
        }
        throw TransportError.bodyTooLarge(maximumBytes)
    }

    private func nextChunk(of body: ResponseBody) async throws -> Data? {
        while let chunk = try await body.nextChunk() {
            if !chunk.isEmpty { return chunk }
        }
        return nil
    }
}
#endif
