import Foundation
import RequestsCompression
import RequestsCurl
import RequestsSchemes
import RequestsTesting
import Testing

@Suite("Cookbook: requests", .timeLimit(.minutes(5)))
struct RequestRecipes {
    typealias User = Kitchen.User

    let kitchen = Kitchen()
    var api: BaseURL { kitchen.api }

    @Test("Get JSON from a URL")
    func oneOff() async throws {
        let client = kitchen.client(.reply(200, jsonText: Kitchen.ada))
        let id = 1
        let user = try await client.send(
            .get(json: User.self, from: "https://api.example.com/users/\(id)")
        )
        #expect(user.name == "Ada")
    }

    @Test("Describe an API")
    func api() async throws {
        struct GitHub: RequestProviding {
            let baseURL = URL("https://api.github.com")

            func request(
                to endpoint: Endpoint,
                using method: HTTPMethod
            ) -> Request<GitHub, Void> {
                Request(
                    api: self,
                    endpoint: endpoint,
                    responseDecoder: .none,
                    method: method
                )
                .setting("X-GitHub-Api-Version", "2022-11-28")
            }

            func user(_ name: String) -> Request<GitHub, User> {
                get(json: User.self, from: "/users/\(name)")
            }
        }
        #expect(try GitHub().user("a/b").prepared().url.text == "https://api.github.com/users/a%2Fb")
        #expect(try GitHub().user("a").prepared().header["X-GitHub-Api-Version"] == "2022-11-28")
    }

    @Test("Define two APIs in one file, each with its own credentials")
    func twoAPIs() async throws {
        struct Billing: RequestProviding {
            let baseURL = URL("https://billing.example.com/v1")

            func invoice(_ id: Int) -> Request<Billing, String> {
                get(.text, from: "/invoices/\(id)")
            }
        }
        struct Mail: RequestProviding {
            let baseURL = URL("https://mail.example.com")

            var inbox: Request<Mail, [String]> {
                self.get(json: [String].self, from: "/inbox")
            }
        }
        var configuration = Client.Configuration()
        configuration.authenticate(
            "https://billing.example.com",
            with: .bearerToken("b1lling")
        )
        configuration.authenticate(
            "https://mail.example.com",
            with: .apiKey("m4il", inHeader: "X-Key")
        )

        let stub = StubTransport(routes: [
            .get(
                "https://billing.example.com/v1/invoices/{id}",
                .reply(302, header: ["Location": "https://mail.example.com/inbox"])
            ),
            .get("https://mail.example.com/inbox", .reply(200, jsonText: "[]")),
        ])
        let client = Client(transport: stub, configuration: configuration)
        _ = try await client.send(Billing().invoice(7))
        _ = try await client.send(Mail().inbox)
        #expect(stub.requests.map { $0.header[.authorization] } == ["Bearer b1lling", nil, nil])
        #expect(stub.requests.map { $0.header["X-Key"] } == [nil, nil, "m4il"])
    }

    @Test("Hide requests and client behind the methods of an SDK")
    func facade() async throws {
        struct GitHubAPI: RequestProviding {
            let baseURL = URL("https://api.github.com")

            func user(_ name: String) -> Request<GitHubAPI, User> {
                get(json: User.self, from: "/users/\(name)")
            }
        }
        struct GitHub: Sendable {
            private let api = GitHubAPI()
            private let client: Client

            init(token: String, transport: any Transport = CurlTransport.shared) {
                var configuration = Client.Configuration()
                configuration.retries = .exponential()
                configuration.authenticate(
                    "https://api.github.com",
                    with: .bearerToken(token)
                )
                client = Client(transport: transport, configuration: configuration)
            }

            func user(_ name: String) async throws -> User {
                try await client.send(api.user(name))
            }
        }
        let stub = StubTransport(script: [
            .reply(429, header: ["Retry-After": "0"]), .reply(200, jsonText: Kitchen.ada),
        ])
        let github = GitHub(token: "s3cret", transport: stub)
        #expect(try await github.user("a/b").name == "Ada")
        #expect(stub.requests.map(\.url.text) == Array(repeating: "https://api.github.com/users/a%2Fb", count: 2))
        #expect(stub.requests.allSatisfy { $0.header[.authorization] == "Bearer s3cret" })
    }

    @Test("Leave out parts of a query")
    func query() throws {
        let city: String? = "Bern", page: Int? = nil
        let search = api.get(.text, from: "/search")
            .with(query: ["city": city, "page": page, "tag": ["a", "b"]])
        #expect(try search.prepared().url.query == "city=Bern&tag=a&tag=b")
    }

    @Test("Build a query from a value")
    func encodedQuery() throws {
        struct Filter: Encodable { var city: String, minimum: Int? }
        let filtered = api.get(.text, from: "/shops")
            .with(query: try .encoding(Filter(city: "Bern", minimum: 3)))
        #expect(try filtered.prepared().url.query == "city=Bern&minimum=3")
    }

    @Test("Add something to a request only if a condition holds")
    func conditional() throws {
        let isPreview = true
        var request = api.get(.text, from: "/page")
        if isPreview {
            request = request.adding(
                queryItem: URLQueryItem(name: "preview", value: "1")
            )
        }
        #expect(try request.prepared().url.query == "preview=1")
    }

    @Test("Use a path with many segments")
    func segments() throws {
        let key = "2026/q1/report 1.csv"
        let file = api.get(
            .data,
            from: "/files/\(segments: key.split(separator: "/"))"
        )
        #expect(try file.prepared().url.path == "/files/2026/q1/report%201.csv")
    }

    @Test("Use a key of an object store")
    func key() throws {
        let key = "2026//q1+q2.csv"
        let object = api.get(.data, from: Endpoint(key: key))
        #expect(try object.prepared().url.path == "/2026//q1%2Bq2.csv")
        #expect(throws: RequestError.self) { try api.get(.data, from: Endpoint(key: "a/../b")).prepared() }
    }

    @Test("Expand a URI template")
    func template() throws {
        let found = api.get(
            .text,
            from: try Endpoint(
                template: "/search{?q,lang*}",
                ["q": "tea", "lang": ["en", "de"]]
            )
        )
        #expect(try found.prepared().url.query == "q=tea&lang=en&lang=de")
    }

    @Test("Add a header field to all requests of a client")
    func clientHeader() async throws {
        var configuration = Client.Configuration()
        configuration.header = [.userAgent("Reports/1.0"), .acceptLanguage("en")]
        let client = Client(
            transport: CurlTransport.shared,
            configuration: configuration
        )
        let stub = StubTransport { try .stub(200, for: $0) }
        try await Client(transport: stub, configuration: client.configuration).send(api.get(.none, from: "/"))
        #expect(stub.requests.first?.header[.userAgent] == "Reports/1.0")
    }

    @Test("Send JSON and decode the response")
    func post() async throws {
        let client = kitchen.client(.reply(201, jsonText: Kitchen.ada))
        let created = try await client.send(
            api.post(json: ["name": "Ada"], to: "/users", receiving: User.self)
        )
        #expect(created.id == 1)
    }

    @Test("Use snake_case keys and ISO 8601 dates in all requests of an API")
    func coders() async throws {
        struct Shop: RequestProviding {
            let baseURL = URL("https://shop.example.com")
            let coders: JSONCoders = {
                let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
                encoder.keyEncodingStrategy = .convertToSnakeCase
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                decoder.dateDecodingStrategy = .iso8601
                return JSONCoders(encoder: encoder, decoder: decoder)
            }()
        }
        struct Order: Codable, Equatable, Sendable { var itemCount: Int }
        let body = try Shop().post(json: Order(itemCount: 2), to: "/orders")
            .prepared().body.data
        #expect(body == Data(#"{"item_count":2}"#.utf8))
    }

    @Test("Send a form")
    func form() throws {
        let login = api.post(.form(["user": "ada", "remember": true]), to: "/login")
        #expect(try login.prepared().body.data == Data("user=ada&remember=true".utf8))
    }

    @Test("Upload a file with other fields")
    func multipart() throws {
        let photo = URL(filePath: #filePath)
        let upload = api.post(
            .multipart([.field("title", "A cat"), .file("photo", photo)]),
            to: "/photos"
        )
        #expect(try upload.prepared().header[.contentType]?.hasPrefix("multipart/form-data") == true)
    }

    @Test("Show a request as a curl command, without credentials")
    func curl() throws {
        let request = api.get(.text, from: "/me")
            .authenticated(with: .bearerToken("s3cret"))
        print(try request.curlCommand())
        #expect(try !request.curlCommand().contains("s3cret"))
    }

    @Test("Compress the body of a request")
    func compression() throws {
        let events = api.post(
            .json(encoded: ["a", "b"]).compressed(.gzip),
            to: "/events"
        )
        #expect(try events.prepared().header[.contentEncoding] == "gzip")
    }
}
