import RequestsCurl
import Testing

/// The transports that run the shared tests.
struct TransportKind: CaseIterable, CustomTestStringConvertible, Sendable {
    let name: String
    let makeTransport: @Sendable () throws -> any Transport

    static let curl = TransportKind(name: "curl") { try CurlTransport() }

    static var allCases: [TransportKind] { [curl] + ofFoundation }

    var testDescription: String { name }
}
