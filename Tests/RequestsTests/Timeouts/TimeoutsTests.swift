#if FullFoundation
import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Timeouts", .timeLimit(.minutes(5)))
struct TimeoutsTests {
    private let api = BaseURL("https://api.example.com")

    @Test(
        "A timeout that isn't positive throws when the request is built, and the error names it",
        arguments: [Duration.zero, .seconds(-1), .nanoseconds(-1)]
    )
    func notPositive(limit: Duration) {
        let timeouts = [
            ("connect", Timeouts(connect: limit)), ("idle", Timeouts(idle: limit)), ("total", Timeouts(total: limit)),
        ]
        for (name, timeouts) in timeouts {
            let request = api.get(.data, from: "/").with(options: CallOptions(timeouts: timeouts))
            let error = #expect(throws: RequestError.self) { try request.prepared() }
            #expect(error?.code == .invalidTimeout)
            #expect(error?.subject == name)
        }
    }

    @Test("Any positive timeout builds")
    func positive() throws {
        for limit: Duration in [
            .nanoseconds(1), Duration(secondsComponent: 0, attosecondsComponent: 1), .seconds(Int64.max),
        ] {
            let timeouts = Timeouts(connect: limit, idle: limit, total: limit)
            let request = api.get(.data, from: "/").with(options: CallOptions(timeouts: timeouts))
            #expect(try request.prepared().options.timeouts == timeouts)
            #expect(try request.toURLRequest().timeoutInterval > 0)
        }
    }

    @Test("A timeout interval of 0 or less throws", arguments: [0, -0.0, -1, -0.001])
    func intervals(seconds: Double) {
        let error = #expect(throws: RequestError.self) {
            try api.get(.data, from: "/").timeout(after: seconds).prepared()
        }
        #expect(error?.code == .invalidTimeout)
        #expect(error?.message.hasPrefix("The idle timeout is \(Duration.seconds(seconds)).") == true)
        #expect(error?.subject == "idle")
    }

    // Text, because arguments of an exit test are JSON, which has no infinity.
    @Test(
        "An interval that isn't a finite number doesn't trap",
        arguments: ["inf", "-inf", "nan", "1e30", "-1e30"]
    )
    func impossibleIntervals(seconds: String) async {
        await #expect(processExitsWith: .success) { [seconds] in
            let interval = try #require(Double(seconds))
            let request = BaseURL("https://h").get(.data, from: "/").timeout(after: interval)
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
        var endpoint: Endpoint { "/" }
        var method: HTTPMethod { .get }
    }

    @Test(
        "An interval of a custom request type doesn't trap",
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

    @Test("Timeouts that differ in one limit aren't equal")
    func equality() {
        let timeouts = Timeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(3))
        #expect(timeouts == Timeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(3)))
        #expect(timeouts != Timeouts(connect: .seconds(9), idle: .seconds(2), total: .seconds(3)))
        #expect(timeouts != Timeouts(connect: .seconds(1), idle: .seconds(9), total: .seconds(3)))
        #expect(timeouts != Timeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(9)))
    }

    @Test("Each missing limit is filled from the defaults")
    func filling() {
        let request = Timeouts(connect: .seconds(1), total: .seconds(3))
        let client = Timeouts(connect: .seconds(10), idle: .seconds(20))
        #expect(request.merging(client) == Timeouts(connect: .seconds(1), idle: .seconds(20), total: .seconds(3)))
        #expect(Timeouts().merging(client) == client)
        #expect(request.merging(Timeouts()) == request)
        #expect(Timeouts().merging(Timeouts()) == Timeouts())
    }
}
#endif
