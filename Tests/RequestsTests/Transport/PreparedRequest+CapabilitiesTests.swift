import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("What a request may ask of a transport", .timeLimit(.minutes(5)))
struct PreparedRequestCapabilitiesTests {
    private struct Wish: CustomTestStringConvertible {
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

    private static let wishes: [Wish] = [
        Wish("CONNECT", "CONNECT") { $0.method = .connect },
        Wish("HEAD with a body", "HEAD") {
            $0.method = .head
            $0.body = .data(Data("x".utf8))
        },
        Wish("a field of more than 300,000 bytes", "X-Large") {
            $0.header.add(Field(name: "X-Large", value: String(repeating: "x", count: 300_000)))
        },
        Wish("a header of more than 1,000,000 bytes", "the header has") {
            for _ in 0..<4 { $0.header.add(Field(name: "X-Large", value: String(repeating: "x", count: 290_000))) }
        },
        Wish("a cache alone", "returnCacheDataDontLoad") { $0.options.cachePolicy = .returnCacheDataDontLoad },
        Wish("a connect timeout", "connect timeout", .connectTimeout) { $0.options.timeouts.connect = .seconds(1) },
        Wish("a body that is produced", "bodies in memory alone", .streamedRequestBodies) {
            $0.body = .chunks(AsyncStream<Data> { $0.finish() })
        },
        Wish("a service type", "service types", .networkServices) { $0.options.networkServiceType = .background },
        Wish("no cellular network", "cellular", .networkServices) { $0.options.allowsCellularAccess = false },
    ]

    @Test("is refused without the capability, by name, and nothing else is", arguments: wishes)
    private func refused(wish: Wish) throws {
        var request = try PreparedRequest(method: .post, url: RequestURL("https://h/"))
        try request.validate(for: [])
        wish.change(&request)
        let error = try #require(throws: TransportError.self) {
            try request.validate(for: TransportCapabilities(rawValue: ~wish.capability.rawValue))
        }
        #expect(error.code == .unsupported)
        #expect(error.message.contains(wish.words))
        if !wish.capability.isEmpty { try request.validate(for: wish.capability) }
    }

    @Test("is nothing where the request is none")
    func invalid() throws {
        var request = try PreparedRequest(url: RequestURL("https://h/"))
        request.header.add(Field(name: "X", value: "a\r\nb"))
        #expect(throws: RequestError.self) { try request.validate(for: []) }
    }
}
