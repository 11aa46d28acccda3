import Foundation
import Requests

/// A client that sends requests with a blocking function and supports redirects, retries, cookies and bearer tokens.
/// Needs only `Requests`.
struct BlockingClient {
    struct Reply {
        var head: ResponseHead
        var body: Data
    }

    var settings = CallMachine.Settings()
    var environment = BlockingEnvironment()
    /// Sends one request and reads the whole response.
    let exchange: (PreparedRequest) throws -> Reply

    mutating func send(_ request: PreparedRequest) throws -> Reply {
        environment.start = .now
        var machine = CallMachine(request, settings)
        var event = CallMachine.Event.begin
        var reply: Reply?
        while true {
            switch machine.next(event, in: &environment) {
            case .send(let request, within: _):
                do {
                    let received = try exchange(request)
                    (reply, event) = (received, .response(received.head))
                } catch {
                    event = .failed(error)
                }
            case .wait(let delay):
                Thread.sleep(forTimeInterval: delay / .seconds(1))
                event = .waited
            // Nothing is left to read, because the exchange has already read the body.
            case .receive: event = .received(bytes: Int64(reply?.body.count ?? 0))
            case .discard: event = .discarded
            case .deliver: if let reply { return reply }
            case .fail(let error): throw error
            case .authenticate, .challenge: event = .failed(CocoaError(.featureUnsupported))
            }
        }
    }
}

struct BlockingEnvironment: CallEnvironment {
    var start = ContinuousClock.now
    var jar = CookieJar()

    var elapsed: Duration { .now - start }
    var date: Date { Date() }
    func random() -> Double { .random(in: 0...1) }
    func claimRetry() -> Bool { true }
    func token() -> String { UUID().uuidString }
    mutating func cookies(for url: RequestURL) -> String? { jar.field(for: url, at: date) }
    mutating func keepCookies(_ header: Header, from url: RequestURL) { jar.store(header, from: url, at: date) }
}
