import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("An exchange, over each transport")
struct ExchangeTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer.http { request in
            switch request.path {
            case "/json": return .init(200, .json, #"{"id":1,"name":"Ada"}"#)
            case "/redirect": return .init(302, header: [Field(name: .location, value: "/json")])
            case "/challenge": return .init(401, header: [Field(name: .wwwAuthenticate, value: #"Basic realm="x""#)])
            case "/missing": return .init(404, .plainText, "no such thing")
            case "/empty": return .init(204)
            case "/cookie": return .init(200, header: [Field(name: .setCookie, value: "a=b; Path=/")])
            default:
                let fields = request.header.map { "\($0.name.rawValue.lowercased()): \($0.value)" }
                let text = ([request.line] + fields).joined(separator: "\n") + "\n\n"
                return .init(200, header: [.contentType(.plainText)], body: Data(text.utf8) + request.body)
            }
        }
    }

    private var api: AnonymousRequestProvider { AnonymousRequestProvider(baseURL: server.baseURL) }

    private struct User: Codable, Equatable {
        var id: Int
        var name: String
    }

    @Test("decodes what the server sends", arguments: TransportKind.allCases)
    func decodes(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let response = try await client.response(for: api.get(json: User.self, from: "/json"))
        #expect(response.content == User(id: 1, name: "Ada"))
        #expect(response.head.statusCode == 200)
        #expect(response.head.header[.contentType] == "application/json")
        #expect(response.head.url.path == "/json")
    }

    @Test("sends method, target, fields and body as they were built", arguments: TransportKind.allCases)
    func sends(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let request = api.patch("/echo/\("a/b")", with: .text("hello"))
            .with(query: ["q": "1+1", "flag": nil])
            .with(header: [Field(name: "X-Probe", value: "yes"), .acceptLanguage("en")])
            .receiving(.text)
        let text = try await client.send(request)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "PATCH /echo/a%2Fb?q=1%2B1&flag HTTP/1.1")
        #expect(lines.contains("x-probe: yes"))
        #expect(lines.contains("accept-language: en"))
        #expect(lines.contains("content-type: text/plain; charset=utf-8"))
        #expect(lines.contains("content-length: 5"))
        #expect(lines.last == "hello")
    }

    @Test("sends every method", arguments: TransportKind.allCases)
    func methods(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        for method: HTTPMethod in [.get, .post, .put, .patch, .delete, .options, .trace, "PURGE"] {
            let text = try await client.send(api.request(to: "/echo", using: method).receiving(.text))
            #expect(text.hasPrefix("\(method) /echo HTTP/1.1\n"))
        }
        let head = try await client.response(for: api.head("/echo"))
        #expect(head.head.statusCode == 200)
    }

    @Test("delivers a body of a megabyte whole", arguments: TransportKind.allCases)
    func largeBody(kind: TransportKind) async throws {
        let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let client = Client(transport: try kind.makeTransport())
        let received = try await client.send(api.post(.raw(data: body), to: "/echo").receiving(.data))
        #expect(received.suffix(body.count) == body)
    }

    @Test("gives the body as it arrives", arguments: TransportKind.allCases)
    func streams(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let response = try await client.stream(api.post(.text("streamed"), to: "/echo"))
        var received = Data()
        for try await chunk in response.content {
            #expect(!chunk.isEmpty)
            received += chunk
        }
        #expect(String(decoding: received, as: UTF8.self).hasSuffix("streamed"))
    }

    @Test("follows no redirect, answers no challenge, keeps no cookie", arguments: TransportKind.allCases)
    func onlyOne(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        #expect(try await client.stream(api.get(.data, from: "/redirect")).head.statusCode == 302)
        #expect(try await client.stream(api.get(.data, from: "/challenge")).head.statusCode == 401)
        #expect(try await client.stream(api.get(.data, from: "/empty")).head.statusCode == 204)
        _ = try await client.send(api.get(.data, from: "/cookie"))
        let text = try await client.send(api.get(.text, from: "/echo"))
        #expect(!text.contains("cookie:"))
        #expect(!text.contains("authorization:"))
    }

    @Test("a status outside the accepted ones is an error that keeps head and body", arguments: TransportKind.allCases)
    func status(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let error = await #expect(throws: ResponseError.self) {
            try await client.send(api.get(json: User.self, from: "/missing"))
        }
        #expect(error?.code == .status)
        #expect(error?.head.statusCode == 404)
        #expect(error?.data == Data("no such thing".utf8))
    }

    @Test("JSON that is not what was asked for is an error that keeps the bytes", arguments: TransportKind.allCases)
    func undecodable(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let error = await #expect(throws: ResponseError.self) {
            try await client.send(api.get(json: [Int].self, from: "/json"))
        }
        #expect(error?.code == .decoding)
        #expect(error?.data == Data(#"{"id":1,"name":"Ada"}"#.utf8))
    }

    @Test("reuses its connection", arguments: TransportKind.allCases)
    func reuse(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        for _ in 0..<10 { _ = try await client.send(api.get(json: User.self, from: "/json")) }
        #expect(server.acceptedConnections == 1)
    }
}
