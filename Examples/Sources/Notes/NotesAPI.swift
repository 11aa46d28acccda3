import Foundation
import Requests

/// The requests of the notes API, as plain values.
package struct NotesAPI: RequestProviding {
    package let baseURL: URL
    private let token: String

    package init(baseURL: URL, token: String) {
        (self.baseURL, self.token) = (baseURL, token)
    }

    /// Returns a request with the parts that all requests share.
    package func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<NotesAPI, Void> {
        Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
            .adding(headerField: .accept(.json))
            .authenticated(with: .bearerToken(token))
    }

    /// Returns a request for the first page of notes that contain a word.
    package func search(_ word: String, perPage count: Int) -> Request<NotesAPI, [Note]> {
        get(.json([Note].self).decodingErrors(as: Problem.self), from: "/notes")
            .with(query: ["q": word, "per_page": count])
    }

    /// Returns a request for a note. Its result is `nil` if the known version is still current.
    package func note(_ id: Int, known tag: Field.EntityTag? = nil) -> Request<NotesAPI, Note?> {
        let decoder = ResponseDecoder.json(Note.self).optional.validating(status: [200, 304])
        let request = get(decoder.decodingErrors(as: Problem.self), from: "/notes/\(id)")
        return tag.map { request.setting(headerField: .ifNoneMatch($0)) } ?? request
    }

    /// Returns a request that replaces a note if its version is still current.
    package func replace(_ note: Note) -> Request<NotesAPI, Void> {
        let request = put(json: note, to: "/notes/\(note.id)").receiving(.none.decodingErrors(as: Problem.self))
        return note.version.map { request.setting(headerField: .ifMatch($0)) } ?? request
    }

    /// Returns a request that adds a note, and that can be retried without adding it twice.
    package func add(_ text: String, key: String) -> Request<NotesAPI, Note> {
        post(json: ["text": text], to: "/notes")
            .receiving(.json(Note.self).decodingErrors(as: Problem.self))
            .adding(headerField: .idempotencyKey(key))
    }
}
