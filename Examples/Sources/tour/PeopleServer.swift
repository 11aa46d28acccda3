import Foundation
import RequestsTesting

/// The server side of the API, which returns the same responses as a loopback server and as a stub.
enum PeopleServer {
    static func answer(_ method: HTTPMethod, _ path: String, _ header: Header, _ body: Data) -> LoopbackServer.Answer {
        switch (method, path) {
        case (.get, "/people/1"): .init(200, .json, #"{"id":1,"name":"Ada"}"#)
        case (.get, "/people"): .init(200, .json, #"[{"id":1,"name":"Ada"},{"id":3,"name":"Alan"}]"#)
        case (.get, "/biographies/A%2FC%20Doyle"): .init(200, .plainText, "He wrote.")
        case (.post, "/people") where header[.authorization] == "Bearer s3cret":
            .init(201, header: [.contentType(.json)], body: body)
        case (.delete, "/people/1") where header[.authorization] == "Bearer s3cret": .init(204)
        default: .init(404, .plainText, "nothing at \(method) \(path)")
        }
    }

    static func start() throws -> LoopbackServer {
        try LoopbackServer.http { answer($0.method, $0.path, $0.header, $0.body) }
    }

    static var stub: StubTransport {
        StubTransport { request in
            let data = request.body.data ?? Data()
            let answer = answer(request.method, request.url.path, request.header, data)
            return try .stub(answer.statusCode, header: answer.header, body: answer.body, for: request)
        }
    }
}
