import Requests
import RequestsClient
import RequestsTesting

extension TransportConformance {
    /// The environment of a running case: the transport, servers that stop after the case, and expectations.
    final class Context: Sendable {
        let transport: any Transport
        private let makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)?
        private let makeHTTP2Transport: (@Sendable () throws -> any Transport)?
        private let address: @Sendable (LoopbackServer) -> URL
        private let servers = Locked<[LoopbackServer]>([])

        init(
            transport: any Transport,
            makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)?,
            makeHTTP2Transport: (@Sendable () throws -> any Transport)?,
            address: @escaping @Sendable (LoopbackServer) -> URL
        ) {
            self.transport = transport
            self.makeTLSTransport = makeTLSTransport
            self.makeHTTP2Transport = makeHTTP2Transport
            self.address = address
        }

        /// Returns a transport that trusts an authority (`nil` means the system's) and has public key pins.
        ///
        /// If the transport doesn't support the options, the case doesn't apply.
        func transport(trusting authority: URL?, pins: PublicKeyPins = [:]) throws -> any Transport {
            guard let makeTLSTransport else {
                throw Inapplicable(reason: "makeTLSTransport wasn't passed")
            }
            do {
                return try makeTLSTransport(TLSOptions(authority: authority, publicKeyPins: pins))
            } catch let error as TransportError where error.code == .unsupported {
                throw Inapplicable(reason: error.message)
            }
        }

        /// Returns a transport that uses HTTP/2 with servers without TLS.
        ///
        /// If the transport doesn't support that, the case doesn't apply.
        func http2Transport() throws -> any Transport {
            guard let makeHTTP2Transport else {
                throw Inapplicable(reason: "makeHTTP2Transport wasn't passed")
            }
            let transport = try makeHTTP2Transport()
            guard transport.capabilities.contains(.http2) else {
                throw Inapplicable(reason: "the transport can't use HTTP/2")
            }
            return transport
        }

        /// Throws ``Inapplicable`` if the transport lacks a capability.
        func require(_ capability: TransportCapabilities, _ purpose: String) throws {
            guard transport.capabilities.isSuperset(of: capability) else {
                throw Inapplicable(reason: "the transport can't \(purpose)")
            }
        }

        func stopServers() {
            for server in servers.withLock({ $0 }) { server.stop() }
        }

        /// Starts a server that runs a script for each connection.
        func serve(_ script: @escaping @Sendable (LoopbackServer.Connection) throws -> Void) throws -> LoopbackServer {
            track(try LoopbackServer(script))
        }

        /// Starts an HTTP server.
        func serveHTTP(
            _ handler: @escaping @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Answer
        ) throws -> LoopbackServer {
            track(try LoopbackServer.http(handler))
        }

        /// Starts a server that reads one request on each connection, sends raw text, and closes.
        func play(_ reply: String) throws -> LoopbackServer {
            try play(Array(reply.utf8))
        }

        /// Starts a server that reads one request on each connection, sends raw bytes, and closes.
        func play(_ reply: [UInt8]) throws -> LoopbackServer {
            try serve { connection in
                _ = try connection.readRequest()
                try connection.write(reply)
            }
        }

        /// Starts a server that reads one request on each connection, sends raw text, and waits until the client closes
        /// the connection.
        func playKeepingOpen(_ reply: String) throws -> LoopbackServer {
            try serve { connection in
                _ = try connection.readRequest()
                try connection.write(reply)
                while !(try connection.read().isEmpty) {}
            }
        }

        func track(_ server: LoopbackServer) -> LoopbackServer {
            servers.withLock { $0.append(server) }
            return server
        }

        /// Returns a request to a server. If a body has no `Content-Type`, it is `application/octet-stream`.
        ///
        /// With the default timeouts, only the deadline of the case ends a request that hangs.
        func request(
            _ method: HTTPMethod = .get,
            _ server: LoopbackServer,
            path: String = "/",
            header: Header = .empty,
            body: RequestBody = .none,
            timeouts: Timeouts = Timeouts(idle: .seconds(3600))
        ) throws -> PreparedRequest {
            var header = header
            if !body.isNone, !header.contains(.contentType) { header.add(.contentType(.binary)) }
            return try PreparedRequest(
                method: method,
                url: RequestURL(address(server).absoluteString + path),
                header: header,
                body: body,
                options: CallOptions(timeouts: timeouts)
            )
        }

        /// Sends a request and reads the whole body.
        func exchange(_ request: PreparedRequest) async throws -> Response<Data> {
            let response = try await transport.send(request)
            let data = try await response.content.collect(upTo: 64 << 20)
            return Response(head: response.head, content: data)
        }

        /// Sends a `GET` and reads the whole body.
        func get(_ server: LoopbackServer) async throws -> Response<Data> {
            try await exchange(request(.get, server))
        }

        func expect(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
            if !condition { throw ExpectationFailure(description: reason()) }
        }

        func expect<Value: Equatable>(_ value: Value, is expected: Value, _ name: String) throws {
            try expect(value == expected, "\(name) is \(value), expected \(expected)")
        }

        /// Expects a `TransportError` with one of the codes.
        @discardableResult
        func expectFailure<Result>(
            _ codes: TransportError.Code...,
            from operation: () async throws -> Result
        ) async throws -> TransportError {
            let expected = codes.map(\.rawValue).joined(separator: " or ")
            do {
                _ = try await operation()
            } catch let error as TransportError {
                try expect(codes.contains(error.code), "the error is \(error), not \(expected)")
                try expect(!error.message.contains("\n"), "the error's message has more than one line")
                return error
            } catch {
                throw ExpectationFailure(description: "the error is \(type(of: error)): \(error), not \(expected)")
            }
            throw ExpectationFailure(description: "no error was thrown, expected \(expected)")
        }

        /// Expects the operation to throw `CancellationError`.
        func expectCancellation<Result>(of operation: () async throws -> Result) async throws {
            do {
                _ = try await operation()
            } catch is CancellationError {
                return
            } catch {
                throw ExpectationFailure(description: "the error is \(error), not CancellationError")
            }
            throw ExpectationFailure(description: "no error was thrown, expected CancellationError")
        }
    }

    /// Runs a check up to three times, with limits and pauses multiplied by `pace`.
    ///
    /// A loaded machine can miss short limits, so only a failure of the last attempt counts.
    package static func atSlowerPaces(_ check: (_ pace: Int) async throws -> Void) async throws {
        for pace in [1, 4] {
            do { return try await check(pace) } catch {}
        }
        try await check(16)
    }

    /// The error for a case that doesn't apply to the transport or the machine.
    struct Inapplicable: Error {
        let reason: String
    }

    /// The error for a failed expectation.
    struct ExpectationFailure: Error, CustomStringConvertible {
        let description: String
    }

    /// A one-time event that another task waits for.
    final class Signal: Sendable {
        private let stream = AsyncStream.makeStream(of: Void.self)

        func send() {
            stream.continuation.yield()
        }

        func wait() async {
            for await _ in stream.stream { return }
        }
    }
}
