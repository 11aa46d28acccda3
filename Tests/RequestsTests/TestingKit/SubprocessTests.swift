#if os(Linux) || os(macOS)
import Foundation
import RequestsConformance
import RequestsTesting
import Testing

@Suite("Subprocesses", .timeLimit(.minutes(5)))
struct SubprocessTests {
    private func shell(_ script: String, in directory: URL? = nil, input: String = "") throws -> (Int32, String) {
        let (status, output) = try Subprocess.run(
            "/bin/sh",
            ["-c", script],
            in: directory,
            environment: ["A": "1 2"],
            input: Data(input.utf8)
        )
        return (status, String(decoding: output, as: UTF8.self))
    }

    @Test("a subprocess gets input, directory and environment, and returns output and status")
    func run() throws {
        #expect(try shell("cat; exit 3", input: "abc") == (3, "abc"))
        #expect(try shell("kill -9 $$").0 == 128 + 9)
        #expect(try shell("pwd; echo \"$A\"", in: URL(filePath: "/usr")).1 == "/usr\n1 2\n")
    }

    @Test("a subprocess inherits no file descriptors")
    func descriptors() throws {
        let pipes = (0..<700).map { _ in Pipe() }
        // Clears close-on-exec, as for libcurl's sockets.
        for pipe in pipes { _ = fcntl(pipe.fileHandleForReading.fileDescriptor, F_SETFD, 0) }
        #expect(try shell("for i in 3 9 99 999; do (: <&$i) 2>/dev/null && echo $i; done").1 == "")
        withExtendedLifetime(pipes) {}
    }

    @Test("a subprocess that doesn't read its input causes neither an error nor SIGPIPE")
    func unreadInput() throws {
        #expect(try Subprocess.run("/bin/sh", ["-c", "exec <&-; exit 4"], input: Data(count: 1 << 20)).status == 4)
    }

    @Test("a subprocess may write output before it has read its input")
    func echo() throws {
        let input = Data(count: 1 << 20)
        #expect(try Subprocess.run("/bin/cat", [], input: input).output == input)
    }

    @Test("waiting for a subprocess that was already reaped throws")
    func reaped() throws {
        let process = try Subprocess("/bin/sh", ["-c", "exit 7"])
        #expect(waitpid(process.identifier, nil, 0) == process.identifier)
        #expect(throws: POSIXError(.ECHILD)) { try process.waitUntilExit() }
    }

    @Test("a subprocess is killed only while it runs, because its identifier may be reused")
    func killed() throws {
        let process = try Subprocess("/bin/sh", ["-c", "read -r line"])
        #expect(process.kill())
        #expect(try process.waitUntilExit() == 128 + SIGKILL)
        #expect(try process.waitUntilExit() == 128 + SIGKILL)
        #expect(!process.kill())
    }

    @Test("a subprocess ends when it is dropped, and the system forgets it", arguments: ["read -r line", "exit 7"])
    func dropped(script: String) throws {
        func identifier() throws -> pid_t { try Subprocess("/bin/sh", ["-c", script]).identifier }
        #expect(waitpid(try identifier(), nil, WNOHANG) == -1)
        #expect(errno == ECHILD)
    }

    @Test("running a missing program throws")
    func absent() {
        #expect(throws: POSIXError.self) { try Subprocess.run("/nowhere", []) }
    }
}
#endif
