import Foundation
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import RequestsCurl
import RequestsTesting
import ServiceLifecycle

/// An HTTPS server that responds as a stub does, over HTTP/2 or HTTP/1.1.
///
/// ```swift
/// let stub = StubTransport(routes: [.get("/users/{id}", .reply(200, json: ada))])
/// try await StubServer.run(stub) { server in
///     let transport = try CurlTransport(configuration: .trusting(server))
///     let user = try await Client(transport: transport).send(UsersAPI(server.baseURL).user(7))
/// }
/// ```
///
/// It listens on 127.0.0.1, on a port that the system chooses. Each process has its own certificate authority. For
/// HTTP without TLS, `LoopbackServer.http(stub)` suffices.
public struct StubServer: Sendable {
    /// The URL of the server, such as `https://127.0.0.1:54321`.
    public let baseURL: URL

    /// The certificate authority to trust, in PEM.
    public let authority: Data

    /// Runs a server while a closure runs.
    ///
    /// Requests have the URL of the server, so a route's template needs no origin. A request without a route gets the
    /// status 501 and the stub's message. A reply that is a failure ends the connection, or over HTTP/2 the stream.
    /// Informational responses aren't sent. Responses that haven't ended with the closure are cut.
    ///
    /// - Parameters:
    ///   - stub: The stub, which records the requests.
    ///   - http2: Whether the server also offers HTTP/2. Default: `true`.
    ///   - body: Sends the requests.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or the first error of a closure of the stub, whose response has the status
    ///   500.
    public static func run<Value>(
        _ stub: StubTransport,
        http2: Bool = true,
        _ body: (StubServer) async throws -> Value
    ) async throws -> Value {
        let authority = try Authority.shared.get()
        let failures = Failures()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "RequestsStubServer") { _ in SwiftLogNoOpLogHandler() }
        let server = try builder(authority, http2: http2).buildServer(
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger,
            responder: { request, writer, _ in try await stub.answer(request, writer, failures) },
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) }
        )
        var configuration = ServiceGroupConfiguration(services: [server], logger: logger)
        // Only a peer that keeps its connection open without a request takes this time.
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        let group = ServiceGroup(configuration: configuration)
        let running = Task {
            defer { port.finish() }
            try await group.run()
        }
        guard let number = await ports.first(where: { _ in true }), let url = URL(string: "https://127.0.0.1:\(number)")
        else {
            try await running.value
            throw CancellationError()
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(StubServer(baseURL: url, authority: authority.pem)))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        _ = await running.result
        let value = try result.get()
        if let failure = failures.first { throw failure }
        return value
    }

    private static func builder(_ authority: Authority, http2: Bool) throws -> HTTPServerBuilder {
        var tls = try authority.serverConfiguration()
        if http2 { return try .http2Upgrade(tlsConfiguration: tls) }
        tls.applicationProtocols = ["http/1.1"]
        return try .tls(.http1(), tlsConfiguration: tls)
    }
}

extension CurlTransport.Configuration {
    /// The default configuration, which trusts only the authority of a server for tests.
    public static func trusting(_ server: StubServer) -> CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.tls.authorities = .pem(server.authority)
        return configuration
    }
}
