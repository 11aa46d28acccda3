#if FullFoundation && canImport(Darwin)
import Foundation
import Requests
import RequestsClient

extension URLSession {
    static func session(
        _ configuration: URLSessionConfiguration,
        over client: Client,
        _ delegate: (any URLSessionDelegate)?,
        _ delegateQueue: OperationQueue?
    ) -> URLSession {
        let key = UUID().uuidString
        configuration.httpAdditionalHeaders = [SessionClients.fieldName: key]
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
        SessionClients.add(client, of: session, key: key)
        return session
    }
}

extension ClientProtocol {
    var stop: LoadState.Stop? { .ended }

    /// Returns the session's client, and the request without the field that identifies the client.
    func preparedRequest() throws -> (Client, PreparedRequest) {
        let name = SessionClients.fieldName
        guard let key = request.value(forHTTPHeaderField: name), let sender = SessionClients.client(key: key) else {
            throw URLError.unsupportedTask("This session has ended. Create one with URLSession.sending(over:).")
        }
        var prepared = try sender.prepared(request)
        prepared.header.remove(Field.Name(name))
        return (sender, prepared)
    }

    func sessionResponse(_ head: ResponseHead) throws -> HTTPURLResponse { try head.httpURLResponse() }

    func finish(_ client: any URLProtocolClient) { client.urlProtocolDidFinishLoading(self) }

    func deliver(_ head: HTTPURLResponse, _ body: ResponseBody, upTo maximumBytes: Int) async throws {
        try await report { $0.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed) }
        for try await chunk in body {
            try await report { $0.urlProtocol(self, didLoad: chunk) }
        }
    }
}

/// The clients of all sessions. A header field that a session adds to its requests identifies its client.
///
/// Foundation creates the instances of a `URLProtocol` and passes them nothing else that belongs to one session.
private enum SessionClients {
    static let fieldName = "Requests-Session"
    private static let all = Locked<[String: Entry]>([:])

    private struct Entry {
        weak var session: URLSession?
        let client: Client
    }

    /// Adds a client, and removes the clients of released sessions.
    static func add(_ client: Client, of session: URLSession, key: String) {
        all.withLock { entries in
            entries = entries.filter { $0.value.session != nil }
            entries[key] = Entry(session: session, client: client)
        }
    }

    static func client(key: String) -> Client? { all.withLock { $0[key]?.client } }
}
#endif
