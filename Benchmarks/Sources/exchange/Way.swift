import AsyncHTTPClient
import CRawCurl
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import RequestsCurl
import RequestsURLSession

/// A library, and how it is used.
enum Way: String, CaseIterable {
    /// A C program on libcurl, which sets all options for each exchange.
    case raw
    /// A C program that sets up as much as possible once.
    case tuned
    /// A C program with libcurl on a second thread, like all the other cases.
    case threaded
    /// Tasks over tuned C on a thread, which is the least that a transport with an event loop costs.
    case floor
    /// CurlTransport with a prepared request.
    case curl
    /// CurlTransport with a prepared request and the tasks on its thread.
    case executor
    /// A Client over CurlTransport, which builds each request and decodes nothing.
    case client
    /// AsyncHTTPClient.
    case ahc
    /// URLSessionTransport with a prepared request.
    case urlsession

    /// - Returns: The number of bytes received.
    @concurrent
    func run(_ work: Work) async throws -> Int64 {
        switch self {
        case .raw: try raw(work, raw_run)
        case .tuned: try raw(work, raw_run_tuned)
        case .threaded: try raw(work, raw_run_threaded)
        case .floor: try await floor(work)
        case .curl: try await transport(work) { try CurlTransport(configuration: configuration(work)) }
        case .executor: try await executor(work)
        case .client: try await client(work)
        case .ahc: try await asyncHTTPClient(work)
        case .urlsession: try await transport(work) { URLSessionTransport() }
        }
    }

    private func raw(_ work: Work, _ run: (UnsafePointer<raw_work>) -> Int64) throws -> Int64 {
        let received = withRaw(work, run)
        guard received >= 0 else { throw CocoaError(.fileReadUnknown) }
        return received
    }

    private func withRaw<Result>(_ work: Work, _ use: (UnsafePointer<raw_work>) -> Result) -> Result {
        work.url.withCString { url in
            (work.authority ?? "").withCString { authority in
                var raw = raw_work()
                raw.url = url
                raw.authority = work.authority == nil ? nil : authority
                raw.count = work.count
                raw.in_flight = Int32(work.inFlight)
                raw.http_version = Int32(work.httpVersion)
                raw.upload = work.upload ?? -1
                raw.fresh_connections = work.freshConnections ? 1 : 0
                raw.gzip = work.gzip ? 1 : 0
                return use(&raw)
            }
        }
    }

    private func floor(_ work: Work) async throws -> Int64 {
        nonisolated(unsafe) let floor = withRaw(work) { raw in
            floor_start(raw) { context, body, length in
                let sender = unsafeBitCast(context, to: UnsafeContinuation<Data?, Never>.self)
                sender.resume(returning: body.map { Data(bytes: $0, count: length) })
            }
        }
        defer { floor_stop(floor) }
        return try await many(work) {
            let body = await withUnsafeContinuation { (sender: UnsafeContinuation<Data?, Never>) in
                let isStarted = floor_submit(floor, unsafeBitCast(sender, to: UnsafeMutableRawPointer.self))
                if isStarted == 0 { sender.resume(returning: nil) }
            }
            guard let body else { throw CocoaError(.fileReadUnknown) }
            return Int64(body.count)
        }
    }

    private func configuration(_ work: Work) -> CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        if let authority = work.authority { configuration.tls.authorities = .file(URL(filePath: authority)) }
        configuration.httpVersion = [.http1_1, .http2, .http3Only][work.httpVersion - 1]
        configuration.connections.maximumIdle = 2048
        if !work.gzip { configuration.decompression = .none }
        return configuration
    }

    private func request(_ work: Work) throws -> PreparedRequest {
        guard let upload = work.upload else {
            // All libraries close a connection for the same reason.
            let header: Header = work.freshConnections ? [Field(name: "Connection", value: "close")] : .empty
            return try PreparedRequest(url: RequestURL(work.url), header: header)
        }
        var header = Header.empty
        let body = try BodyProvider.raw(stream: Zeros(count: upload), length: upload).body(updating: &header)
        return try PreparedRequest(method: .post, url: RequestURL(work.url), header: header, body: body)
    }

    private func transport(
        _ work: Work,
        _ make: @escaping @Sendable () throws -> any RequestsClient.Transport
    ) async throws -> Int64 {
        let isReady = work.upload == nil
        let request = try request(work)
        let transport = try make()
        return try await many(work) {
            try await exchange(isReady ? request : self.request(work), over: transport, work)
        }
    }

    private func executor(_ work: Work) async throws -> Int64 {
        let transport = try CurlTransport(configuration: configuration(work))
        let request = try request(work)
        return try await withTaskExecutorPreference(transport.taskExecutor) {
            try await many(work) { try await exchange(request, over: transport, work) }
        }
    }

    private func exchange(
        _ request: PreparedRequest,
        over transport: any RequestsClient.Transport,
        _ work: Work
    ) async throws -> Int64 {
        let body = try await transport.send(request).content
        // A large body is read chunk by chunk, and a small one is collected.
        if work.count > 1 { return Int64(try await body.collect(upTo: .max).count) }
        var received: Int64 = 0
        for try await chunk in body { received += Int64(chunk.count) }
        return received
    }

    private func client(_ work: Work) async throws -> Int64 {
        let client = Client(transport: try CurlTransport(configuration: configuration(work)))
        let url = try RequestURL(work.url)
        let api = BaseURL(try RequestURL("\(url.origin)").url)
        let request = api.get(.data, from: Endpoint(path: url.path))
        return try await many(work) { Int64(try await client.send(request).count) }
    }

    private func asyncHTTPClient(_ work: Work) async throws -> Int64 {
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authority = work.authority { tls.trustRoots = .file(authority) }
        configuration.tlsConfiguration = tls
        configuration.httpVersion = work.httpVersion > 1 ? .automatic : .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(8, work.inFlight)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let received = try await many(work) { try await exchange(over: client, work) }
        try await client.shutdown()
        return received
    }

    private func exchange(over client: HTTPClient, _ work: Work) async throws -> Int64 {
        var request = HTTPClientRequest(url: work.url)
        if work.freshConnections { request.headers.add(name: "Connection", value: "close") }
        if let upload = work.upload {
            request.method = .POST
            request.body = .stream(Pieces(count: upload), length: .known(upload))
        }
        let body = try await client.execute(request, timeout: .minutes(2)).body
        if work.count > 1 { return Int64(try await body.collect(upTo: 1 << 30).readableBytes) }
        var received: Int64 = 0
        for try await chunk in body { received += Int64(chunk.readableBytes) }
        return received
    }

    private func many(_ work: Work, _ exchange: @escaping @Sendable () async throws -> Int64) async throws -> Int64 {
        if work.inFlight == 1 {
            var received: Int64 = 0
            for _ in 0..<work.count { received += try await exchange() }
            return received
        }
        return try await withThrowingTaskGroup(of: Int64.self) { group in
            for worker in 0..<min(work.inFlight, work.count) {
                group.addTask {
                    var received: Int64 = 0
                    for _ in stride(from: worker, to: work.count, by: work.inFlight) {
                        received += try await exchange()
                    }
                    return received
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
