import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Options and policies of a request", .timeLimit(.minutes(5)))
struct RequestOptionsTests {
    @Test("Default options leave everything to the client and the transport")
    func options() {
        var options = RequestOptions()
        #expect(options.timeouts == Timeouts())
        #expect(options.cachePolicy == nil)
        #expect(options.networkServiceType == nil)
        #expect(options.allowsCellularAccess == nil)
        let defaults = options
        options.networkServiceType = .background
        options.allowsCellularAccess = false
        #expect(options != defaults)
        options.networkServiceType = nil
        options.allowsCellularAccess = nil
        #expect(options == defaults)
        #expect(options.hashValue == defaults.hashValue)
    }

    @Test("Default policies leave everything to the client, and policies are equal if all members are")
    func policies() {
        var policies = CallPolicies()
        #expect(policies.isIntercepted == nil)
        #expect(policies.redirects == nil)
        #expect(policies.retries == nil)
        #expect(policies.maximumBodyBytes == nil)
        #expect(policies.unredactedNames.isEmpty)
        #expect(policies.sensitiveQueryNames.isEmpty)
        policies.retries = .never
        let copy = policies
        policies.redirects = .never
        policies.isIntercepted = false
        policies.maximumBodyBytes = 1
        policies.unredactedNames = [.authorization]
        #expect(copy.redirects == nil)
        #expect(policies != copy)
        policies.redirects = nil
        policies.isIntercepted = nil
        policies.maximumBodyBytes = nil
        policies.unredactedNames = []
        #expect(policies == copy)
        #expect(policies.hashValue == copy.hashValue)
    }

    @Test("The policies of a request aren't part of its message")
    func message() throws {
        let request = AnonymousRequestProvider("https://h").get(.none, from: "/")
        #expect(try request.retrying(.fixed(.zero)).redirecting(.never).prepared() == request.prepared())
    }
}
