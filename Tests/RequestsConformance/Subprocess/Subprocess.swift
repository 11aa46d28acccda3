#if os(Linux) || os(macOS)
import Requests
import RequestsClient
import RequestsSystem

/// A running program, with pipes to its input and from its output. Its error output is discarded.
///
/// Not Foundation's `Process`, which on Linux (Swift 6.3.1) reads past a buffer and can crash if more than a thousand
/// descriptors are open.
package final class Subprocess: Sendable {
    package let identifier: pid_t
    private let openInput: Locked<OpenFile?>
    /// The result of `waitpid`. The process identifier is valid as long as this is `nil`.
    private let status = Locked<Int32?>(nil)

    /// The standard output of the program.
    package let output: OpenFile

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: The arguments, without the program's name.
    ///   - directory: The working directory. Default: that of this process.
    ///   - environment: The environment. Default: that of this process.
    package init(
        _ program: String,
        _ arguments: [String],
        in directory: URL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        // The other ends are closed in this process, so that each side notices when the other closes its end.
        let (input, output) = (try OpenFile.pipe(), try OpenFile.pipe())
        self.output = output.reading
        openInput = Locked(input.writing)
        identifier = try Subprocess.spawn(
            [program] + arguments,
            environment: environment.map { "\($0.key)=\($0.value)" },
            directory: directory?.path,
            input: input.reading.descriptor,
            output: output.writing.descriptor
        )
    }

    /// Ends the program. Swift Testing, which waits for any child that has ended, would wait for this one again and
    /// again, and its exit tests would hang.
    deinit {
        guard status.withLock({ $0 == nil }), waitpid(identifier, nil, WNOHANG) == 0 else { return }
        kill()
        _ = waitpid(identifier, nil, 0)
    }

    /// Writes to the standard input of the program.
    package func write(_ data: Data) throws(POSIXError) {
        guard let input = openInput.withLock({ $0 }) else { throw POSIXError(.EBADF) }
        try input.write(data)
    }

    /// Closes the standard input of the program, which then reads its end.
    package func closeInput() { openInput.withLock { $0 = nil } }

    /// Waits until the program ends.
    ///
    /// - Returns: The exit status, or 128 plus the signal that ended the program.
    /// - Throws: `POSIXError` if the program was already waited for elsewhere.
    package func waitUntilExit() throws -> Int32 {
        if let status = status.withLock({ $0 }) { return Subprocess.exitStatus(status) }
        // `WNOWAIT` keeps the identifier valid until the lock is held, so that `kill()` can't kill another process.
        var end = unsafe siginfo_t()
        try retrying { unsafe waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) }
        return try status.withLock { known in
            var status = known ?? 0
            if known == nil { try retrying { unsafe waitpid(identifier, &status, 0) } }
            known = status
            return Subprocess.exitStatus(status)
        }
    }

    private static func exitStatus(_ status: Int32) -> Int32 {
        status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    private func retrying(_ call: () -> Int32) throws {
        while call() == -1 {
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECHILD) }
        }
    }

    /// Kills the program unless it was already waited for.
    ///
    /// - Returns: Whether the signal was sent.
    @discardableResult
    package func kill() -> Bool {
        status.withLock { $0 == nil && RequestsSystem.kill(identifier, SIGKILL) == 0 }
    }

    /// Runs a function on a new thread with `SIGPIPE` blocked, so that writing to a closed pipe throws instead of
    /// ending this process.
    package static func detachWriter(_ write: @escaping @Sendable () -> Void) {
        let isStarted: Void? = try? BlockingThread.start {
            var brokenPipe = sigset_t()
            unsafe sigemptyset(&brokenPipe)
            unsafe sigaddset(&brokenPipe, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
            write()
        }
        precondition(isStarted != nil, "the system can't start a thread")
    }

    /// Runs a program to its end, even if it doesn't read its input.
    package static func run(
        _ program: String,
        _ arguments: [String],
        in directory: URL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        input: Data = Data()
    ) throws -> (status: Int32, output: Data) {
        let process = try Subprocess(program, arguments, in: directory, environment: environment)
        detachWriter {
            try? process.write(input)
            process.closeInput()
        }
        let output = try process.output.readToEnd()
        return (try process.waitUntilExit(), output)
    }

    /// Calls a function with a null-terminated array of C strings.
    static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
    ) rethrows -> Result {
        let copies = unsafe strings.map { unsafe strdup($0) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        return try unsafe body(copies + [nil])
    }
}
#endif
