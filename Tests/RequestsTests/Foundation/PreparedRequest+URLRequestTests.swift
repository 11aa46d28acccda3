#if FullFoundation
import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Prepared requests made from a URLRequest", .timeLimit(.minutes(5)))
struct PreparedRequestURLRequestTests {
    private func request(_ text: String = "https://h/a?b=c") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: text)))
    }

    @Test("Each cache policy and service type survives the way to URLRequest and back", arguments: CachePolicy.allCases)
    func policies(policy: CachePolicy) throws {
        var request = try PreparedRequest(url: RequestURL("https://h/"))
        request.options.cachePolicy = policy
        for type in [.default, .video, .background, .voice] as [CallOptions.NetworkServiceType] {
            request.options.networkServiceType = type
            let copy = try PreparedRequest(URLRequest(request)).options
            #expect(copy.cachePolicy ?? .useProtocolCachePolicy == policy)
            #expect(copy.networkServiceType ?? .default == type)
        }
    }

    @Test("Converting a URLRequest back and forth loses nothing")
    func roundTrip() throws {
        var original = try request("https://h:8443/a%20b/c?d=e+f&g#h")
        original.httpMethod = "PATCH"
        original.allHTTPHeaderFields = ["X-B": "1", "Accept": "a/b, c/d", "Authorization": "Bearer t"]
        original.httpBody = Data([0, 0xFF])
        original.timeoutInterval = 7.5
        original.cachePolicy = .reloadIgnoringLocalCacheData
        original.networkServiceType = .background
        original.allowsCellularAccess = false
        let copy = try URLRequest(PreparedRequest(original))
        #expect(copy.httpMethod == original.httpMethod)
        #expect(copy.url == original.url)
        #expect(copy.allHTTPHeaderFields == original.allHTTPHeaderFields)
        #expect(copy.httpBody == original.httpBody)
        #expect(copy.timeoutInterval == original.timeoutInterval)
        #expect(copy.cachePolicy == original.cachePolicy)
        #expect(copy.networkServiceType == original.networkServiceType)
        #expect(copy.allowsCellularAccess == original.allowsCellularAccess)
    }

    @Test("A URLRequest with defaults has no options")
    func defaults() throws {
        let prepared = try PreparedRequest(request())
        #expect(try prepared == PreparedRequest(url: RequestURL("https://h/a?b=c")))
    }

    @Test("A stream body is kept, with the length in Content-Length")
    func stream() async throws {
        var original = try request()
        original.httpMethod = "POST"
        original.httpBodyStream = InputStream(data: Data("abc".utf8))
        original.setValue("3", forHTTPHeaderField: "content-length")
        let prepared = try PreparedRequest(original)
        #expect(prepared.body.length == 3)
        #expect(!prepared.body.isReplayable)
        #expect(prepared.header.isEmpty)
        #expect(try PreparedRequest(URLRequest(prepared)).body.length == 3)
    }

    @Test("A URLRequest with an unsupported URL throws", arguments: ["ftp://h/", "https://u:c4nary@h/", "file:///a"])
    func invalid(text: String) throws {
        let error = #expect(throws: RequestError.self) { try PreparedRequest(request(text)) }
        #expect(error.map { "\($0)".contains("c4nary") } == false)
    }
}
#endif
