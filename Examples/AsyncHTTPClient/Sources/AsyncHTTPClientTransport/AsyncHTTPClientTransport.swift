import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Requests
import RequestsClient

/// A transport over AsyncHTTPClient, which speaks HTTP with SwiftNIO.
public struct AsyncHTTPClientTransport: RequestsClient.Transport {
    private let pool: ConnectionPool
    private let runner = ExchangeRunner(
        capabilities: [.streamedRequestBodies, .orderedFields, .http2],
        code: TransportError.Code.init(_:)
    )

    /// Creates a transport with connections of its own.
    ///
    /// - Parameter configuration: The library's own. What a transport must not do is turned off in it.
    public init(configuration: HTTPClient.Configuration = HTTPClient.Configuration()) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        // A body that grows more than that is given up; what DEFLATE makes of zeros grows a thousandfold.
        configuration.decompression = .enabled(limit: .ratio(500))
        configuration.connectionPool.retryConnectionEstablishment = false
        pool = ConnectionPool(configuration)
    }

    /// What this transport can do.
    public var capabilities: TransportCapabilities { runner.capabilities }

    /// Makes one exchange.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try await runner.run(request) { [pool] exchange in
            let response = try await pool.execute(HTTPClientRequest(exchange))
            try exchange.respond(with: ResponseHead(response, to: request), isDecoded: response.isDecoded)
            for try await buffer in response.body { try await exchange.write(Data(buffer.readableBytesView)) }
        }
    }

    /// Ends what is in flight with ``TransportError/Code/shutDown`` and refuses what comes later.
    public func shutdown() async {
        runner.shutDown()
        await pool.shutDown()
    }
}

extension HTTPClientRequest {
    fileprivate init(_ exchange: Exchange) {
        let request = exchange.request
        self.init(url: request.url.text)
        method = NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue)
        for field in request.header { headers.add(name: field.name.rawValue, value: field.value) }
        guard !request.body.isNone else { return }
        let pieces = exchange.requestBody.map { ByteBuffer(bytes: $0) }
        body = .stream(pieces, length: request.body.length.map { .known($0) } ?? .unknown)
    }
}

extension ResponseHead {
    fileprivate init(_ response: HTTPClientResponse, to request: PreparedRequest) throws {
        try self.init(
            statusCode: Int(response.status.code),
            header: Header(response.headers.map { Field(name: Field.Name($0.name), value: $0.value) }),
            url: request.url,
            httpVersion: HTTPVersion(major: response.version.major, minor: response.version.minor)
        )
    }
}

extension HTTPClientResponse {
    /// Whether the library undoes the coding. It leaves what the header says of it.
    fileprivate var isDecoded: Bool {
        ["gzip", "deflate"].contains(headers.first(name: "Content-Encoding")?.lowercased())
    }
}
