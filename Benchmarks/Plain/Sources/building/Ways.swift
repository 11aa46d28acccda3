import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The same GET and the same POST, in several ways; the first is by hand.
enum Ways {
    private static let base = URL("https://api.example.com/v1")
    private static let api = BaseURL(base)
    private static let name = "Ada Lovelace/1815"
    private static let note = Note(title: "Note G", lines: 25, tags: ["engine", "numbers"])

    private struct Note: Encodable {
        var title: String
        var lines: Int
        var tags: [String]
    }

    static let all = [("GET", get), ("POST", post)].map { (title: $0, ways: $1) }

    private static let get: [Way] = {
        let ready = request()
        return [
            Way("by hand, to a URLRequest") { try byHand() },
            Way("ready, to a PreparedRequest") { try ready.prepared() },
            Way("defined and built, to a PreparedRequest") { try request().prepared() },
            Way("defined and built, to a URLRequest") { try request().toURLRequest() },
        ]
    }()

    private static let post: [Way] = {
        let ready = creation()
        return [
            Way("by hand, to a URLRequest") { try creationByHand() },
            Way("the JSON encoder alone") { try JSONEncoder().encode(note) },
            Way("ready, to a PreparedRequest") { try ready.prepared() },
            Way("defined and built, to a PreparedRequest") { try creation().prepared() },
            Way("defined and built, to a URLRequest") { try creation().toURLRequest() },
        ]
    }()

    private static func request() -> Request<BaseURL, String> {
        api.get(.text, from: "/people/\(name)")
            .with(query: ["lang": "en", "page": 2, "q": "a b&c"])
            .with(header: [
                .accept(.json), .acceptLanguage("en"), .userAgent("bench/1"), Field(name: "X-Trace", value: "42"),
            ])
            .authenticated(with: .bearerToken("0123456789abcdef"))
    }

    private static func byHand() throws -> URLRequest {
        guard var components = URLComponents(url: base, resolvingAgainstBaseURL: false) else { throw URLError(.badURL) }
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove("/")
        let segment = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        components.percentEncodedPath += "/people/\(segment)"
        components.queryItems = [
            URLQueryItem(name: "lang", value: "en"), URLQueryItem(name: "page", value: "2"),
            URLQueryItem(name: "q", value: "a b&c"),
        ]
        guard let url = components.url else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.setValue("en", forHTTPHeaderField: "Accept-Language")
        request.setValue("bench/1", forHTTPHeaderField: "User-Agent")
        request.setValue("42", forHTTPHeaderField: "X-Trace")
        request.setValue("Bearer 0123456789abcdef", forHTTPHeaderField: "Authorization")
        return request
    }

    private static func creation() -> Request<BaseURL, Void> {
        api.post(.json(encoded: note), to: "/notes").authenticated(with: .bearerToken("0123456789abcdef"))
    }

    private static func creationByHand() throws -> URLRequest {
        var request = URLRequest(url: base.appendingPathComponent("notes"))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(note)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer 0123456789abcdef", forHTTPHeaderField: "Authorization")
        return request
    }
}
