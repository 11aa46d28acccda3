#if os(Linux) || os(macOS)
import Foundation
import Requests
import RequestsClient

/// A program that runs beside this one, with pipes to its input and from its output; its errors go nowhere.
///
/// Foundation's `Process` on Linux (Swift 6.3.1) reads beyond a buffer, and may end this one, where more than a thousand
/// descriptors are open.
package final class Subprocess: Sendable {
    package let identifier: pid_t
    private let pipes: (input: Pipe, output: Pipe)
    /// What `waitpid` said; `nil` while the number is the program's, running or not.
    private let status = Locked<Int32?>(nil)

    /// What is written here the program reads; closing it is the end.
    package var input: FileHandle { pipes.input.fileHandleForWriting }
    /// What the program writes.
    package var output: FileHandle { pipes.output.fileHandleForReading }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Those after its name.
    ///   - directory: Where it runs; `nil`, the default, for where this one does.
    ///   - environment: By default that of this one.
    package init(
        _ program: String,
        _ arguments: [String],
        in directory: URL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        pipes = (Pipe(), Pipe())
        identifier = try Subprocess.spawn(
            [program] + arguments,
            environment: environment.map { "\($0.key)=\($0.value)" },
            directory: directory?.path,
            input: pipes.input.fileHandleForReading.fileDescriptor,
            output: pipes.output.fileHandleForWriting.fileDescriptor
        )
        // The program alone has these ends: otherwise nobody would see its end.
        try pipes.input.fileHandleForReading.close()
        try pipes.output.fileHandleForWriting.close()
    }

    /// Waits for the end of the program.
    ///
    /// - Returns: Its status; 128 and more where a signal ended it.
    /// - Throws: `POSIXError`, where somebody else has waited for it.
    package func waitUntilExit() throws -> Int32 {
        if let status = status.withLock({ $0 }) { return Subprocess.exitStatus(status) }
        // The number stays the program's until the lock is held: nobody kills another that has it by then.
        var end = siginfo_t()
        try retrying { waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) }
        return try status.withLock { known in
            var status = known ?? 0
            if known == nil { try retrying { waitpid(identifier, &status, 0) } }
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

    /// Ends the program, and it alone: one that was waited for is left alone.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    package func kill() -> Bool {
        status.withLock { $0 == nil && Foundation.kill(identifier, SIGKILL) == 0 }
    }

    /// Runs a function on a thread where to write to a program that no longer reads is an error, and not the end of
    /// this process.
    package static func detachWriter(_ write: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            var brokenPipe = sigset_t()
            sigemptyset(&brokenPipe)
            sigaddset(&brokenPipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
            write()
        }
    }

    /// Runs a program to its end, whether it reads its input or not.
    package static func run(
        _ program: String,
        _ arguments: [String],
        in directory: URL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        input: Data = Data()
    ) throws -> (status: Int32, output: Data) {
        let process = try Subprocess(program, arguments, in: directory, environment: environment)
        detachWriter {
            try? process.input.write(contentsOf: input)
            try? process.input.close()
        }
        let output = try process.output.readToEnd() ?? Data()
        return (try process.waitUntilExit(), output)
    }

    /// Calls a function with arrays of C strings that end with `nil`.
    static func withCStrings<Result>(
        _ texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
    ) rethrows -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return try body(copies + [nil])
    }
}
#endif
