import Requests

/// One request of the tour, and what should come back.
struct Stop: Sendable {
    let name: String
    let expected: String
    let prepared: @Sendable () throws -> PreparedRequest
    let send: @Sendable (Client) async throws -> (status: Int, value: String)

    init<R: RequestConvertible>(
        _ name: String,
        _ request: R,
        gives expected: String,
        as text: @escaping @Sendable (R.Resource) -> String
    ) {
        self.name = name
        self.expected = expected
        prepared = { try request.prepared() }
        send = { client in
            let response = try await client.response(for: request)
            return (response.head.statusCode, text(response.content))
        }
    }

    static func all(of api: PeopleAPI) -> [Stop] {
        [
            Stop("person", api.person(1), gives: "Ada") { $0.name },
            Stop("search", api.search("a & b", limit: 2), gives: "Ada, Alan") {
                $0.map(\.name).joined(separator: ", ")
            },
            Stop("biography", api.biography(of: "A/C Doyle"), gives: "He wrote.") { $0 },
            Stop("add", api.add(Person(id: 7, name: "Grace"), token: "s3cret"), gives: "Grace") { $0.name },
            Stop("remove", api.remove(1, token: "s3cret"), gives: "-") { _ in "-" },
        ]
    }
}
