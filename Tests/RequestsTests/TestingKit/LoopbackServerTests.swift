import Foundation
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Loopback servers", .timeLimit(.minutes(5)))
struct LoopbackServerTests {
    private func load(_ path: String, _ server: LoopbackServer, method: String = "GET", body: Data? = nil) async throws
        -> String
    {
        var request = URLRequest(url: server.baseURL.appending(path: path))
        request.httpMethod = method
        request.httpBody = body
        let (data, _) = try await URLSession.shared.data(for: request)
        return String(decoding: data, as: UTF8.self)
    }

    @Test("A server can record its requests")
    func recording() async throws {
        let server = try LoopbackServer.http(recording: true) { .init(200, .plainText, $0.path) }
        #expect(try await load("a", server) == "/a")
        #expect(try await load("b", server, method: "PUT", body: Data("body".utf8)) == "/b")
        #expect(server.requests.map(\.target) == ["/a", "/b"])
        #expect(server.requests.last?.method == .put)
        #expect(server.requests.last?.body == Data("body".utf8))
    }

    @Test("A server records nothing unless it is asked to")
    func silent() async throws {
        let server = try LoopbackServer.http { _ in .init(200) }
        _ = try await load("a", server)
        #expect(server.requests.isEmpty)
    }

    @Test("A streamed response arrives in chunks, and the connection stays open")
    func streaming() async throws {
        let server = try LoopbackServer.http { request in
            .streaming(200, header: [.contentType("text/event-stream")]) { body in
                try body.write("")
                try body.write(": hello\n\n")
                try body.write(event: "note", id: "1", data: "a\nb")
                try body.write(data: request.path)
            }
        }
        let expected = ": hello\n\nevent: note\nid: 1\ndata: a\ndata: b\n\ndata: "
        #expect(try await load("x", server) == expected + "/x\n\n")
        #expect(try await load("y", server) == expected + "/y\n\n")
    }

    @Test("A read with a time limit of zero doesn't wait", .timeLimit(.minutes(5)))
    func limitedRead() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            do {
                _ = try connection.read(within: .zero)
            } catch let error as POSIXError where error.code == .EAGAIN {
                try connection.write(.init(200, .plainText, "nothing"))
            }
        }
        #expect(try await load("a", server) == "nothing")
    }
}
