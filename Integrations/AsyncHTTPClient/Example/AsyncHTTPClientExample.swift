import AsyncHTTPClient
import Foundation
import RequestsAsyncHTTPClient
import RequestsTesting
import Synchronization

/// Sends requests over AsyncHTTPClient, which a server built on SwiftNIO uses anyway.
@main
struct AsyncHTTPClientExample {
    static func main() async throws {
        let server = try NamesServer.start()
        var settings = HTTPClient.Configuration()
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2
        let transport = AsyncHTTPClientTransport(configuration: settings)
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.milliseconds(10))
        let client = Client(transport: transport, configuration: configuration)
        let api = BaseURL(server.baseURL)

        print("The client's policies are the same as over any transport:")
        print(try await client.send(api.get(json: [String].self, from: "/old-names")))

        print("\nBodies are streamed in both directions:")
        let chunks = AsyncStream<Data> { continuation in
            for number in 1...3 { continuation.yield(Data("part \(number)\n".utf8)) }
            continuation.finish()
        }
        let upload = try await client.stream(api.post(.chunks(chunks), to: "/echo"))
        for try await line in upload.content.lines { print(line) }

        print("\nErrors have the same codes:")
        server.stop()
        do {
            try await client.send(api.get(.none, from: "/names"))
        } catch {
            print(error)
        }

        print("\nWhat AsyncHTTPClient can't do is rejected before anything is sent:")
        var request = try PreparedRequest(url: RequestURL(server.baseURL.absoluteString))
        request.options.timeouts.connect = .seconds(5)
        do {
            _ = try await client.send(request)
        } catch {
            print(error)
        }
        await transport.shutdown()
    }
}

/// A server that redirects, is unavailable at first, and repeats what it receives.
private final class NamesServer: Sendable {
    private let isReady = Atomic(false)

    static func start() throws -> LoopbackServer {
        let names = NamesServer()
        return try LoopbackServer.http { request in
            let answer = names.answer(to: request)
            print("    server: \(request.line.dropLast(9)) → \(answer.statusCode)")
            return answer
        }
    }

    private func answer(to request: LoopbackServer.Request) -> LoopbackServer.Answer {
        switch request.path {
        case "/old-names": .init(302, header: [Field(name: .location, value: "/names")])
        case "/names" where !isReady.exchange(true, ordering: .relaxed): .init(503)
        case "/names": .init(200, .json, #"["Ada", "Grace"]"#)
        case "/echo": .init(200, header: [.contentType(.plainText)], body: request.body)
        default: .init(404)
        }
    }
}
