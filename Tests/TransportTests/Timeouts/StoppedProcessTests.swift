#if os(Linux)
import Foundation
import RequestsCurl
import RequestsTesting
import Testing

/// A process that is stopped, such as by a debugger or with its virtual machine.
@Suite("Stopped processes", .timeLimit(.minutes(5)))
struct StoppedProcessTests {
    @Test("A response that arrives while the process is stopped is delivered, although the timeout has passed")
    func response() async throws {
        let server = try LoopbackServer { connection in
            let head = try #require(try connection.readHead())
            let process = try #require(pid_t(head.split(separator: " ")[1].dropFirst()))
            // libcurl's timers after a connection are over, so nothing makes it look at the socket by itself.
            usleep(500_000)
            kill(process, SIGSTOP)
            let state = "/proc/\(process)/stat"
            while try !String(contentsOfFile: state, encoding: .utf8).contains(") T ") { usleep(1000) }
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            // Longer than the timeout of the stopped process.
            usleep(3_500_000)
            kill(process, SIGCONT)
            while !(try connection.read().isEmpty) {}
        }
        await #expect(processExitsWith: .success) { [url = server.baseURL as URL] in
            let timeouts = Timeouts(idle: .seconds(3))
            let target = try RequestURL("\(url.absoluteString)/\(getpid())")
            let request = try PreparedRequest(url: target, options: CallOptions(timeouts: timeouts))
            let response = try await CurlTransport().send(request)
            let body = try await response.content.collect(upTo: 2)
            #expect(body == Data("ok".utf8))
        }
    }
}
#endif
