#if !canImport(CRequestsCurl)
import Requests
import RequestsClient

/// A transport over libcurl, which iOS, tvOS, watchOS and visionOS don't have.
@available(*, unavailable, message: "This platform has no libcurl. Use URLSessionTransport of RequestsURLSession.")
public struct CurlTransport: Transport {
    /// A transport with the default configuration.
    public static let shared = CurlTransport()

    /// The capabilities of the transport.
    public let capabilities: TransportCapabilities = []

    /// Sends a request.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        throw TransportError.unsupported("this platform has no libcurl; use URLSessionTransport")
    }

    /// Ends all requests.
    public func shutdown() async {}
}
#endif
