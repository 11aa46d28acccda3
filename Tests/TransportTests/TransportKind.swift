import Requests
import RequestsClient
import Testing
import RequestsCurl
import RequestsURLSession

/// The transports that run the shared tests.
enum TransportKind: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case curl
    case urlSession

    func makeTransport() throws -> any Transport {
        switch self {
        case .curl: try CurlTransport()
        case .urlSession: URLSessionTransport()
        }
    }

    var testDescription: String { rawValue }
}
