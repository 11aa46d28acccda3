import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Timeouts", .timeLimit(.minutes(5)))
struct TimeoutsTests {
    private let api = AnonymousRequestProvider("https://api.example.com")

    @Test(
        "a timeout that is not a positive length of time makes the build throw, and the error names it",
        arguments: [Duration.zero, .seconds(-1), .nanoseconds(-1)]
    )
    func notPositive(limit: Duration) {
        let timeouts = [
            ("connect", Timeouts(connect: limit)), ("idle", Timeouts(idle: limit)), ("total", Timeouts(total: limit)),
        ]
        for (name, timeouts) in timeouts {
            let request = api.get(.data, from: "/").with(options: RequestOptions(timeouts: timeouts))
            let error = #expect(throws: RequestError.self) { try request.prepared() }
            #expect(error?.code == .invalidTimeout)
            #expect(error?.culprit == name)
        }
    }

    @Test("any positive length of time builds, however short or long")
    func positive() throws {
        for limit: Duration in [
            .nanoseconds(1), Duration(secondsComponent: 0, attosecondsComponent: 1), .seconds(Int64.max),
        ] {
            let timeouts = Timeouts(connect: limit, idle: limit, total: limit)
            let request = api.get(.data, from: "/").with(options: RequestOptions(timeouts: timeouts))
            #expect(try request.prepared().options.timeouts == timeouts)
            #expect(try request.toURLRequest().timeoutInterval > 0)
        }
    }

    @Test("an interval of 0 or less seconds throws like the timeout that it is", arguments: [0, -0.0, -1, -0.001])
    func intervals(seconds: TimeInterval) {
        let error = #expect(throws: RequestError.self) {
            try api.get(.data, from: "/").timeout(after: seconds).prepared()
        }
        #expect(error?.code == .invalidTimeout)
        #expect(error?.message.hasPrefix("the idle timeout is \(Duration.seconds(seconds));") == true)
        #expect(error?.culprit == "idle")
    }

    // As text: the arguments of an exit test travel as JSON, which has no infinity.
    @Test(
        "an interval that is no number of seconds does not trap: it builds, or throws",
        arguments: ["inf", "-inf", "nan", "1e30", "-1e30"]
    )
    func impossibleIntervals(seconds: String) async {
        await #expect(processExitsWith: .success) { [seconds] in
            let interval = try #require(Double(seconds))
            let request = AnonymousRequestProvider("https://h").get(.data, from: "/").timeout(after: interval)
            _ = request.timeoutInterval
            do {
                #expect(try request.prepared().options.timeouts.idle.map { $0 > .zero } != false)
                #expect(interval > 0)
            } catch {
                #expect((error as? RequestError)?.code == .invalidTimeout)
            }
        }
    }

    private struct Impatient: RequestConvertible {
        typealias Resource = Void
        var timeoutInterval: TimeInterval
        var baseURL: URL { URL("https://h") }
        var endpoint: String { "/" }
        var method: HTTPMethod { .get }
    }

    @Test(
        "nor does one that a request type of its own declares",
        arguments: ["inf", "-inf", "nan", "1e30", "-1e30", "0", "-1"]
    )
    func impossibleOwnIntervals(seconds: String) async {
        await #expect(processExitsWith: .success) { [seconds] in
            let interval = try #require(Double(seconds))
            do {
                _ = try Impatient(timeoutInterval: interval).prepared()
                #expect(interval > 0)
            } catch {
                #expect((error as? RequestError)?.code == .invalidTimeout)
            }
        }
    }

    @Test("what is not set is taken from the limits below, each on its own")
    func filling() {
        let request = Timeouts(connect: .seconds(1), total: .seconds(3))
        let client = Timeouts(connect: .seconds(10), idle: .seconds(20))
        #expect(request.filled(from: client) == Timeouts(connect: .seconds(1), idle: .seconds(20), total: .seconds(3)))
        #expect(Timeouts().filled(from: client) == client)
        #expect(request.filled(from: Timeouts()) == request)
        #expect(Timeouts().filled(from: Timeouts()) == Timeouts())
    }
}
