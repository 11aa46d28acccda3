import Requests
import RequestsClient

extension StubTransport {
    /// A request with the values that its route captured.
    public struct Match: Sendable {
        /// The request. A streamed body is read into memory if it has at most 16 MiB, and otherwise stays a stream.
        public let request: PreparedRequest

        let exchange: Exchange

        /// The segments that the `{name}` expressions of the route matched, percent-decoded.
        public let parameters: [String: String]

        /// The number of this call, starting at 1: of the calls to the route, or to the stub if it has no routes.
        public let call: Int

        /// Returns the segment that a `{name}` expression matched.
        ///
        /// - Throws: `TransportError.Code.unmatched` if the route has no expression with this name.
        public subscript(_ name: String) -> String {
            get throws(TransportError) {
                if let value = parameters[name] { return value }
                throw .unmatched("the route of \(request) doesn't capture {\(name)}; add the expression to its path")
            }
        }
    }
}
