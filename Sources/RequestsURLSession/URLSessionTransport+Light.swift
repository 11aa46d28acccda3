#if !FullFoundation
import Requests
import RequestsClient

/// Unavailable, because the package was built without its trait `FullFoundation`, which this transport needs.
@available(*, unavailable, message: "enable the package trait FullFoundation, which is on by default")
public struct URLSessionTransport: Sendable {}
#endif
