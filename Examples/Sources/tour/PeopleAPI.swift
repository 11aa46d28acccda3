import Foundation
import Requests

/// A person in the API.
struct Person: Codable, Sendable, CustomStringConvertible {
    var id: Int
    var name: String

    var description: String { name }
}

/// A small API. Its requests are independent of any transport.
struct PeopleAPI: RequestProviding {
    let baseURL: URL

    /// Returns a request with the parts that all requests share.
    func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<PeopleAPI, Void> {
        Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
            .adding(headerField: .acceptLanguage("en"))
    }

    func person(_ id: Int) -> Request<PeopleAPI, Person> {
        get(json: Person.self, from: "/people/\(id)")
    }

    func search(_ text: String, limit: Int) -> Request<PeopleAPI, [Person]> {
        get(json: [Person].self, from: "/people").with(query: ["q": text, "limit": limit])
    }

    func biography(of name: String) -> Request<PeopleAPI, String> {
        get(.text, from: "/biographies/\(name)")
    }

    func add(_ person: Person, token: String) -> Request<PeopleAPI, Person> {
        post(json: person, to: "/people")
            .authenticated(with: .bearerToken(token))
            .receiving(json: Person.self)
    }

    func remove(_ id: Int, token: String) -> Request<PeopleAPI, Void> {
        delete("/people/\(id)").authenticated(with: .bearerToken(token))
    }
}
