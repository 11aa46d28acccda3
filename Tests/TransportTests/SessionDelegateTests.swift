import Foundation
import Requests
import Testing

@testable import RequestsURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The delegate of a session", .timeLimit(.minutes(5)))
struct SessionDelegateTests {
    @Test("an exchange is among those that a shutdown ends, or may not start")
    func shutdown() throws {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let delegate = SessionDelegate([:])
        let watchdog = Watchdog { _ in nil }
        let request = try PreparedRequest(url: RequestURL("https://h/"))
        func register() throws -> (exchange: SessionExchange, mayStart: Bool) {
            let task = session.dataTask(with: URL("https://h/"))
            let exchange = SessionExchange(request, task: task, watchdog: watchdog, maximumBufferedBytes: 1)
            return (exchange, delegate.register(exchange, for: task))
        }
        let before = try register()
        #expect(before.mayStart)
        #expect(delegate.shutDown().map(ObjectIdentifier.init) == [ObjectIdentifier(before.exchange)])
        #expect(try !register().mayStart)
        #expect(delegate.exchanges.count == 1)
    }
}
