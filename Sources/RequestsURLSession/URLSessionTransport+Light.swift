#if !FullFoundation
import Requests
import RequestsClient

/// Not available without the whole of Foundation.
@available(*, unavailable, message: "enable the package trait FullFoundation, which is on by default")
public struct URLSessionTransport: Sendable {}
#endif
