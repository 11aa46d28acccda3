#if FullFoundation && os(Linux)
import Foundation
import RequestsConformance
import RequestsURLSession
import Testing

/// Runs each case that crashes in a separate process. If a test fails, Foundation was fixed, so remove the exclusion.
@Suite("Crashes of URLSession on Linux", .timeLimit(.minutes(5)))
struct URLSessionCrashTests {
    /// The end of a process in which Swift stops at a failed check, such as a `fatalError` of Foundation.
    private let swiftTrap: ExitTest.Condition = {
        #if arch(x86_64) || arch(i386)
        .signal(SIGILL)
        #else
        .signal(SIGTRAP)
        #endif
    }()

    @Test("A chunked response with a trailer still crashes URLSession on Linux")
    func trailer() async {
        await #expect(processExitsWith: swiftTrap) {
            _ = try? await TransportConformance.run(cases: [.trailers]) { URLSessionTransport() }
        }
    }

    @Test("A response with the largest length still crashes URLSession on Linux")
    func maximumLength() async {
        await #expect(processExitsWith: swiftTrap) {
            _ = try? await TransportConformance.run(cases: [.maximumLength]) { URLSessionTransport() }
        }
    }

    @Test("A connection that closes within the header still crashes URLSession on Linux")
    func truncatedHead() async {
        await #expect(processExitsWith: swiftTrap) {
            _ = try? await TransportConformance.run(cases: [.truncatedHead]) { URLSessionTransport() }
        }
    }

    @Test("URLSession on Linux uses the proxy environment variables, which Foundation can't turn off")
    func proxyVariablesOverURLSession() async {
        await #expect(processExitsWith: .failure) {
            Ambient.setProxyVariables()
            try await TransportConformance.run(cases: Ambient.cases) { URLSessionTransport() }
        }
    }
}
#endif
