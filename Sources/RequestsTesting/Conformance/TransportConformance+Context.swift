import Foundation
import Requests
import RequestsClient

extension TransportConformance {
    /// What a case works with: the transport, servers that end with the case, and expectations.
    final class Context: Sendable {
        let transport: any Transport
        private let makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)?
        private let address: @Sendable (LoopbackServer) -> URL
        private let servers = Locked<[LoopbackServer]>([])

        init(
            transport: any Transport,
            makeTLSTransport: (@Sendable (TLSOptions) throws -> any Transport)?,
            address: @escaping @Sendable (LoopbackServer) -> URL
        ) {
            self.transport = transport
            self.makeTLSTransport = makeTLSTransport
            self.address = address
        }

        /// A transport that trusts an authority, `nil` for the system's, and has pins.
        ///
        /// One that has no such option refuses it, and cannot be held to what follows from it.
        func transport(trusting authority: URL?, pins: PublicKeyPins = [:]) throws -> any Transport {
            guard let makeTLSTransport else {
                throw Inapplicable(reason: "there is no closure that makes a transport of TLSOptions")
            }
            do {
                return try makeTLSTransport(TLSOptions(authority: authority, publicKeyPins: pins))
            } catch let error as TransportError where error.code == .unsupported {
                throw Inapplicable(reason: error.message)
            }
        }

        /// Skips the case for a transport without a capability.
        func require(_ capability: TransportCapabilities, _ what: String) throws {
            guard transport.capabilities.isSuperset(of: capability) else {
                throw Inapplicable(reason: "the transport can't \(what)")
            }
        }

        func stopServers() {
            for server in servers.withLock({ $0 }) { server.stop() }
        }

        /// Starts a server that plays a script on each connection.
        func serve(_ script: @escaping @Sendable (LoopbackServer.Connection) throws -> Void) throws -> LoopbackServer {
            keep(try LoopbackServer(script))
        }

        /// Starts a well-behaved server.
        func serveHTTP(
            _ handler: @escaping @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Answer
        ) throws -> LoopbackServer {
            keep(try LoopbackServer.http(handler))
        }

        /// Starts a server that reads one request on each connection, plays bytes, and closes.
        func play(_ reply: String) throws -> LoopbackServer {
            try play(Array(reply.utf8))
        }

        /// Starts a server that reads one request on each connection, plays bytes, and closes.
        func play(_ reply: [UInt8]) throws -> LoopbackServer {
            try serve { connection in
                _ = try connection.readRequest()
                try connection.write(reply)
            }
        }

        /// Starts a server that reads one request on each connection, plays bytes, and keeps the connection open
        /// until the client closes it.
        func playAndWait(_ reply: String) throws -> LoopbackServer {
            try serve { connection in
                _ = try connection.readRequest()
                try connection.write(reply)
                while !(try connection.read().isEmpty) {}
            }
        }

        func keep(_ server: LoopbackServer) -> LoopbackServer {
            servers.withLock { $0.append(server) }
            return server
        }

        /// Returns a request to a server. A body without a content type gets that of binary data.
        ///
        /// Without `timeouts`, only the deadline of the case ends a request that hangs.
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
                options: RequestOptions(timeouts: timeouts)
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
            if !condition { throw Unmet(description: reason()) }
        }

        func expect<Value: Equatable>(_ value: Value, is expected: Value, _ name: String) throws {
            try expect(value == expected, "\(name) is \(value), not \(expected)")
        }

        /// Expects an error of the transport.
        @discardableResult
        func expectFailure<Result>(
            _ codes: TransportError.Code...,
            from operation: () async throws -> Result
        ) async throws -> TransportError {
            let expected = codes.map(\.rawValue).joined(separator: " or ")
            do {
                _ = try await operation()
            } catch let error as TransportError {
                try expect(codes.contains(error.code), "the error is not \(expected) but \(error)")
                try expect(!error.message.contains("\n"), "the error's message has more than one line")
                return error
            } catch {
                throw Unmet(description: "the error is not \(expected) but \(type(of: error)): \(error)")
            }
            throw Unmet(description: "there is no error, where \(expected) was due")
        }

        /// Expects the operation to end as cancelled.
        func expectCancellation<Result>(of operation: () async throws -> Result) async throws {
            do {
                _ = try await operation()
            } catch is CancellationError {
                return
            } catch {
                throw Unmet(description: "the error is not CancellationError but \(error)")
            }
            throw Unmet(description: "there is no error, where CancellationError was due")
        }
    }

    /// Runs a check up to three times, with limits and pauses that are `pace` times as long.
    ///
    /// A loaded machine can be slower than a short limit allows, so only the last failure counts.
    package static func atSlowerPaces(_ check: (_ pace: Int) async throws -> Void) async throws {
        for pace in [1, 4] {
            do { return try await check(pace) } catch {}
        }
        try await check(16)
    }

    /// A case cannot be run here.
    struct Inapplicable: Error {
        let reason: String
    }

    /// An expectation of a case that does not hold.
    struct Unmet: Error, CustomStringConvertible {
        let description: String
    }

    /// Something that happens once, on one side of a case, and is waited for on the other.
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
