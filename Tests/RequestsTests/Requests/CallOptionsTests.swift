import Foundation
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Options of a call", .timeLimit(.minutes(5)))
struct CallOptionsTests {
    @Test("A prepared request carries its options, which count when requests are compared")
    func message() throws {
        let request = BaseURL("https://h").get(.none, from: "/")
        let patient = try request.retrying(.fixed(.zero)).redirecting(.never).prepared()
        #expect(patient.options.retries == .fixed(.zero))
        #expect(try patient != request.prepared())
        #expect(try patient == request.retrying(.fixed(.zero)).redirecting(.never).prepared())
    }

    @Test("The difference of two requests names a changed timeout, redirect rule or operation")
    func difference() throws {
        let request = BaseURL("https://h").get(.none, from: "/")
        let first = try request.prepared()
        #expect(first.difference(from: try request.prepared()).isEmpty)
        let changes: [(String, Request<BaseURL, Void>)] = [
            ("options.timeouts.attempt", request.timeouts(attempt: .seconds(1))),
            ("options.redirects", request.redirecting(.follow(limit: 1))),
            ("options.redirects", request.redirecting(.follow { _, _ in true })),
            ("options.retries", request.retrying(.fixed(.zero))),
            ("options.operation", request.with { $0.options.operation = "list" }),
            ("options.isIdempotent", request.idempotent()),
        ]
        for (name, changed) in changes {
            #expect("\(first.difference(from: try changed.prepared()))".contains(name))
        }
    }

    private static let changes: [@Sendable (inout CallOptions) -> Void] = [
        { $0.timeouts.idle = .seconds(1) }, { $0.redirects = .never }, { $0.retries = .fixed(.zero) },
        { $0.maximumBodyBytes = 1 }, { $0.isIntercepted = false }, { $0.isIdempotent = true },
        { $0.usesCookies = false },
        { $0.cachePolicy = .returnCacheDataDontLoad }, { $0.networkServiceType = .voice },
        { $0.allowsCellularAccess = false }, { $0.operation = "a" }, { $0.unredactedNames = [.accept] },
        { $0.sensitiveQueryNames = ["a"] }, { $0.observer = { _ in } },
    ]

    @Test("Each option is taken from others if it isn't set", arguments: changes.indices)
    func filled(index: Int) {
        var (others, own, both) = (CallOptions(), CallOptions(), CallOptions())
        Self.changes[index](&others)
        // Options that are all unset are taken as a whole.
        own.timeouts.connect = .seconds(9)
        (both, both.timeouts.connect) = (others, .seconds(9))
        let filled = own.merging(others)
        #expect(filled == both)
        #expect((filled.observer == nil) == (others.observer == nil))
    }

    @Test("Options are equal if all values are, whatever their observers", arguments: changes.indices)
    func equality(index: Int) {
        var options = CallOptions()
        Self.changes[index](&options)
        let isObserved = options.observer != nil
        #expect((options == CallOptions()) == isObserved)
        #expect((options.hashValue == CallOptions().hashValue) == isObserved)
    }

    @Test("The tests above know all options")
    func all() throws {
        let values = try #require(Mirror(reflecting: CallOptions()).descendant("values", "storage", "value"))
        #expect(Mirror(reflecting: values).children.count == Self.changes.count)
    }

    @Test("Options that are set win over others, limits are merged one by one, and names are added")
    func merging() {
        var own = CallOptions(timeouts: Timeouts(idle: .seconds(1)))
        own.retries = .never
        own.unredactedNames = ["A"]
        var other = CallOptions(timeouts: Timeouts(idle: .seconds(2), attempt: .seconds(3)), cachePolicy: .allCases[1])
        other.retries = .fixed(.zero)
        other.isIdempotent = true
        other.operation = "list"
        other.unredactedNames = ["B"]
        let merged = own.merging(other)
        #expect(merged.timeouts == Timeouts(idle: .seconds(1), attempt: .seconds(3)))
        #expect(merged.retries == .never)
        #expect(merged.isIdempotent == true)
        #expect(merged.operation == "list")
        #expect(merged.cachePolicy == .allCases[1])
        #expect(merged.unredactedNames == ["A", "B"])
    }
}
