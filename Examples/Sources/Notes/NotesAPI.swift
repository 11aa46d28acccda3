import Foundation
import Requests

/// The requests of the API: values that nothing has to be sent for.
package struct NotesAPI: RequestProviding {
    package let baseURL: URL
    private let token: String

    package init(baseURL: URL, token: String) {
        (self.baseURL, self.token) = (baseURL, token)
    }

    /// What every request of the API has.
    package func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<NotesAPI, Void> {
        Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
            .adding(headerField: .accept(.json))
            .authenticated(with: .bearerToken(token))
    }

    /// The first page of the notes with a word in them.
    package func search(_ word: String, perPage count: Int) -> Request<NotesAPI, [Note]> {
        get(.json(encoded: [Note].self).errors(as: Problem.self), from: "/notes")
            .with(query: ["q": word, "per_page": count])
    }

    /// A note; nothing where it is still the version that is known.
    package func note(_ id: Int, known tag: EntityTag? = nil) -> Request<NotesAPI, Note?> {
        let decoder = ResponseDecoder.json(encoded: Note.self).optional.validating(status: [200, 304])
        let request = get(decoder.errors(as: Problem.self), from: "/notes/\(id)")
        return tag.map { request.setting(headerField: .ifNoneMatch($0)) } ?? request
    }

    /// Puts a note in the place of the version that it was made of, and of no other.
    package func replace(_ note: Note) -> Request<NotesAPI, Void> {
        let request = put(json: note, to: "/notes/\(note.id)").receiving(.none.errors(as: Problem.self))
        return note.version.map { request.setting(headerField: .ifMatch($0)) } ?? request
    }

    /// Adds a note, once, however often the request is sent.
    package func add(_ text: String, key: String) -> Request<NotesAPI, Note> {
        post(json: ["text": text], to: "/notes")
            .receiving(.json(encoded: Note.self).errors(as: Problem.self))
            .adding(headerField: .idempotencyKey(key))
    }
}
