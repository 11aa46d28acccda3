import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The options of a request", .timeLimit(.minutes(5)))
struct RequestOptionsTests {
    @Test("have no policy of their own by default, and are equal when all that is set is")
    func policies() {
        var options = RequestOptions()
        #expect(options.interception == .on)
        #expect(options.redirects == nil)
        #expect(options.retries == nil)
        #expect(options.unredactedNames.isEmpty)
        #expect(options.networkServiceType == nil)
        #expect(options.allowsCellularAccess == nil)
        options.retries = .never
        let copy = options
        options.redirects = .never
        options.interception = .off
        options.unredactedNames = [.authorization]
        options.networkServiceType = .background
        options.allowsCellularAccess = false
        #expect(copy.retries == .never)
        #expect(copy.redirects == nil)
        #expect(copy.interception == .on)
        #expect(options != copy)
        options.redirects = nil
        options.interception = .on
        options.unredactedNames = []
        options.networkServiceType = nil
        options.allowsCellularAccess = nil
        #expect(options == copy)
        #expect(options.hashValue == copy.hashValue)
        options.retries = nil
        #expect(options == RequestOptions())
    }
}
