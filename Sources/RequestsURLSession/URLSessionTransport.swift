#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport over Foundation's URLSession.
///
/// Use `CurlTransport` on Linux, where URLSession has no back-pressure and no connect timeout, and changes the order
/// and repetition of header fields. Responses with trailers, and some malformed ones, crash the process there, which
/// code outside Foundation can't prevent.
public struct URLSessionTransport: Transport, EndsWithCall {
    /// A transport with the default configuration.
    public static let shared = URLSessionTransport()

    private let engine: SessionEngine

    /// Creates a transport with the default configuration and its own connections.
    public init() {
        engine = SessionEngine(Configuration(), over: .ephemeral)
    }

    /// Creates a transport with its own connections and settings.
    ///
    /// - Parameters:
    ///   - sessionConfiguration: The configuration of the session, for example with a proxy. Its cookies, cache and
    ///     credentials are turned off, because a client handles them the same way over every transport. Default:
    ///     `ephemeral`.
    ///   - configuration: The settings of the transport.
    /// - Throws: `TransportError.Code.unsupported` for an option that URLSession doesn't support on this platform, or
    ///   if the pins or the user agent aren't valid.
    public init(
        sessionConfiguration: URLSessionConfiguration = .ephemeral,
        configuration: Configuration = Configuration()
    ) throws {
        try configuration.publicKeyPins.validate()
        try Header.check(userAgent: configuration.userAgent)
        try PlatformSession.rejectUnsupported(configuration)
        engine = SessionEngine(configuration, over: sessionConfiguration)
    }

    init(engine: SessionEngine) {
        self.engine = engine
    }

    /// The capabilities of the transport.
    public var capabilities: TransportCapabilities { PlatformSession.capabilities }

    /// Sends a request and returns the response as soon as its head has arrived.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        // Checked first, because these errors name the alternative to URLSession.
        try PlatformSession.rejectUnsupported(request)
        guard request.method != .get || request.body.isNone else {
            throw TransportError.unsupported(
                "URLSession can't send a GET request with a body; use POST, or CurlTransport"
            )
        }
        try engine.configuration.publicKeyPins.check(request.url)
        return try await engine.send(request, context: context)
    }

    /// Ends all requests with `TransportError.Code.shutdown`, and rejects later ones.
    public func shutdown() async {
        engine.shutdown()
    }
}
#endif
