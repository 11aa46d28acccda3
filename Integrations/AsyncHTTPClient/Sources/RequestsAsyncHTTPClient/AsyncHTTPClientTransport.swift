import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import RequestsClient

/// A transport over AsyncHTTPClient, which is built on SwiftNIO.
public struct AsyncHTTPClientTransport: ExchangeTransport {
    private let pool: ConnectionPool
    /// Runs the exchanges.
    public let runner = ExchangeRunner(
        capabilities: [.streamedRequestBodies, .orderedFields, .http2],
        code: TransportError.Code.init(_:)
    )

    /// Creates a transport with its own connections.
    ///
    /// - Parameter configuration: The configuration of AsyncHTTPClient. Its redirects and connection retries are turned
    ///   off, because this library's client handles them, and its decompression is replaced. Default: AsyncHTTPClient's
    ///   defaults.
    public init(configuration: HTTPClient.Configuration = HTTPClient.Configuration()) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        // Stops decompression bombs, because DEFLATE can expand zeros a thousandfold.
        configuration.decompression = .enabled(limit: .ratio(500))
        configuration.connectionPool.retryConnectionEstablishment = false
        pool = ConnectionPool(configuration)
    }

    /// Sends a request and passes on the response.
    public func perform(_ exchange: Exchange) async throws {
        let response = try await pool.execute(HTTPClientRequest(exchange))
        try exchange.respond(with: ResponseHead(response, to: exchange.request), isDecoded: response.isDecoded)
        for try await buffer in response.body { try await exchange.write(Data(buffer.readableBytesView)) }
    }

    /// Ends the exchanges in progress with ``TransportError/Code/shutdown`` and rejects later requests.
    public func shutdown() async {
        runner.shutdown()
        await pool.shutdown()
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
    /// Whether AsyncHTTPClient decodes the body. It doesn't remove the header fields of the encoding.
    fileprivate var isDecoded: Bool {
        ["gzip", "deflate"].contains(headers.first(name: "Content-Encoding")?.lowercased())
    }
}
