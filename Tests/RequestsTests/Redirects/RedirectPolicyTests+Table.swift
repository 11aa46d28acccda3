import RequestsConformance
import RequestsTesting
import Testing

// Every status with every method, to each kind of origin.
extension RedirectPolicyTests {
    /// The method, whether the body and the credentials are sent, that the body is refused, or that it can't be sent
    /// again. For each origin.
    private static let replayable = """
        same                | scheme              | host                | port
        301 GET    | GET body secrets    | GET body -          | refused             | refused
        301 HEAD   | HEAD body secrets   | HEAD body -         | refused             | refused
        301 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        301 PUT    | PUT body secrets    | PUT body -          | refused             | refused
        301 PATCH  | PATCH body secrets  | PATCH body -        | refused             | refused
        301 DELETE | DELETE body secrets | DELETE body -       | refused             | refused
        302 GET    | GET body secrets    | GET body -          | refused             | refused
        302 HEAD   | HEAD body secrets   | HEAD body -         | refused             | refused
        302 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        302 PUT    | PUT body secrets    | PUT body -          | refused             | refused
        302 PATCH  | PATCH body secrets  | PATCH body -        | refused             | refused
        302 DELETE | DELETE body secrets | DELETE body -       | refused             | refused
        303 GET    | GET - secrets       | GET - -             | GET - -             | GET - -
        303 HEAD   | HEAD - secrets      | HEAD - -            | HEAD - -            | HEAD - -
        303 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        303 PUT    | GET - secrets       | GET - -             | GET - -             | GET - -
        303 PATCH  | GET - secrets       | GET - -             | GET - -             | GET - -
        303 DELETE | GET - secrets       | GET - -             | GET - -             | GET - -
        307 GET    | GET body secrets    | GET body -          | refused             | refused
        307 HEAD   | HEAD body secrets   | HEAD body -         | refused             | refused
        307 POST   | POST body secrets   | POST body -         | refused             | refused
        307 PUT    | PUT body secrets    | PUT body -          | refused             | refused
        307 PATCH  | PATCH body secrets  | PATCH body -        | refused             | refused
        307 DELETE | DELETE body secrets | DELETE body -       | refused             | refused
        308 GET    | GET body secrets    | GET body -          | refused             | refused
        308 HEAD   | HEAD body secrets   | HEAD body -         | refused             | refused
        308 POST   | POST body secrets   | POST body -         | refused             | refused
        308 PUT    | PUT body secrets    | PUT body -          | refused             | refused
        308 PATCH  | PATCH body secrets  | PATCH body -        | refused             | refused
        308 DELETE | DELETE body secrets | DELETE body -       | refused             | refused
        """

    private static let locations = [
        "same": "http://a.example/new", "scheme": "https://a.example/new", "host": "http://b.example/new",
        "port": "http://a.example:8080/new",
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let method: HTTPMethod
        let origin: String
        let isReplayable: Bool
        let expected: [String]

        var testDescription: String { "\(status) \(method) \(origin) \(isReplayable)" }
    }

    static let rows: [Row] = [true, false].flatMap { isReplayable in
        let lines = replayable.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.split(separator: " ").map { String($0) } }
        }
        return lines.dropFirst().flatMap { line in
            zip(lines[0], line.dropFirst()).map { origin, cell in
                Row(
                    status: Int(line[0][0]) ?? 0,
                    method: HTTPMethod(rawValue: line[0][1]),
                    origin: origin[0],
                    isReplayable: isReplayable,
                    // A body that can be read only once ends each redirect that would send it again.
                    expected: isReplayable || !cell.contains("body") ? cell : ["stop"]
                )
            }
        }
    }

    private static let secrets: [Field.Name] = ["AUTHORIZATION", .cookie, .proxyAuthorization, .host, "X-Marked"]

    @Test("A redirect has the expected method, body and credentials", arguments: rows)
    func table(row: Row) throws {
        var header: Header = [.contentType(.json), Field(name: "Content-Language", value: "en"), .accept(.json)]
        for name in Self.secrets { header.add(Field(name: name, value: "x").sensitive()) }
        let body = row.isReplayable ? RequestBody.data(Data("x".utf8)) : .oneShot(Data("x".utf8))
        let request = try PreparedRequest(
            method: row.method,
            url: RequestURL("http://a.example/old"),
            header: header,
            body: body
        )
        let location = try #require(Self.locations[row.origin])
        let step = RedirectPolicy.follow().step(after: try head(row.status, location, of: request), to: request)
        switch step {
        case .follow(let next):
            let names = next.header.map(\.name)
            #expect(next.url.text == location)
            #expect(next.method.rawValue == row.expected.first)
            #expect(next.body == (row.expected.dropFirst().first == "body" ? body : .none))
            #expect(
                Array(names.prefix { $0 != "AUTHORIZATION" })
                    == (row.expected.dropFirst().first == "body"
                        ? [.contentType, "Content-Language", .accept] : [.accept])
            )
            #expect(Array(names.drop { $0 != "AUTHORIZATION" }) == (row.expected.last == "secrets" ? Self.secrets : []))
        case .stop(let error) where error.code == .crossOriginBody:
            #expect(row.expected == ["refused"])
            #expect(error.history.map(\.statusCode) == [row.status])
        case .stop(let error):
            #expect(row.expected == ["stop"])
            #expect(error.code == .bodyNotReplayable)
            #expect(error.history.map(\.statusCode) == [row.status])
            #expect(
                error.message == "\(row.status) from http://a.example/old redirects the request to \(location), "
                    + "but its body can be read only once. Use a body in memory or from a file."
            )
        case .deliver:
            Issue.record("delivered")
        }
    }

    @Test("The table has 5 statuses, 6 methods, 4 origins, and both kinds of bodies")
    func size() {
        #expect(Self.rows.count == 5 * 6 * 4 * 2)
    }
}
