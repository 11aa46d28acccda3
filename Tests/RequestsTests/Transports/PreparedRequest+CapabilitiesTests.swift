import Foundation
import RequestsClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Capabilities of transports", .timeLimit(.minutes(5)))
struct PreparedRequestCapabilitiesTests {
    private struct Requirement: CustomTestStringConvertible {
        let testDescription: String
        let capability: TransportCapabilities
        let words: String
        let change: @Sendable (inout PreparedRequest) -> Void

        init(
            _ name: String,
            _ words: String,
            _ capability: TransportCapabilities = [],
            _ change: @escaping @Sendable (inout PreparedRequest) -> Void
        ) {
            (testDescription, self.words, self.capability, self.change) = (name, words, capability, change)
        }
    }

    private static let requirements: [Requirement] = [
        Requirement("CONNECT", "CONNECT") { $0.method = .connect },
        Requirement("HEAD with a body", "HEAD") {
            $0.method = .head
            $0.body = .data(Data("x".utf8))
        },
        Requirement("a field of more than 300,000 bytes", "X-Large") {
            $0.header.add(Field(name: "X-Large", value: String(repeating: "x", count: 300_000)))
        },
        Requirement("a header of more than 1,000,000 bytes", "the header has") {
            for _ in 0..<4 { $0.header.add(Field(name: "X-Large", value: String(repeating: "x", count: 290_000))) }
        },
        Requirement("a cache alone", "returnCacheDataDontLoad") { $0.options.cachePolicy = .returnCacheDataDontLoad },
        Requirement("a connect timeout", "connect timeout", .connectTimeout) {
            $0.options.timeouts.connect = .seconds(1)
        },
        Requirement("a body that is produced", "bodies in memory", .streamedRequestBodies) {
            $0.body = .chunks(AsyncStream<Data> { $0.finish() })
        },
        Requirement("a service type", "networkServiceType", .networkServices) {
            $0.options.networkServiceType = .background
        },
        Requirement("no cellular network", "allowsCellularAccess", .networkServices) {
            $0.options.allowsCellularAccess = false
        },
    ]

    @Test("A request is rejected by name without the capability that it needs", arguments: requirements)
    private func refused(requirement: Requirement) throws {
        var request = try PreparedRequest(method: .post, url: RequestURL("https://h/"))
        try request.validate(for: [])
        requirement.change(&request)
        let error = try #require(throws: TransportError.self) {
            try request.validate(for: TransportCapabilities(rawValue: ~requirement.capability.rawValue))
        }
        #expect(error.code == .unsupported)
        #expect(error.message.contains(requirement.words))
        if !requirement.capability.isEmpty { try request.validate(for: requirement.capability) }
    }

    @Test("A plain request needs no capability, but must be valid")
    func invalid() throws {
        var request = try PreparedRequest(url: RequestURL("https://h/"))
        request.options.networkServiceType = .default
        request.options.allowsCellularAccess = true
        try request.validate(for: [])
        request.header.add(Field(name: "X", value: "a\r\nb"))
        #expect(throws: RequestError.self) { try request.validate(for: []) }
    }
}
