#if os(Linux) || os(macOS)
import Foundation
import Requests

/// A program that runs beside this one, with pipes to its input and from its output; its errors go nowhere.
///
/// Foundation's `Process` on Linux (Swift 6.3.1) reads beyond a buffer, and may end this one, where more than a thousand
/// descriptors are open.
package final class Subprocess: Sendable {
    package let identifier: pid_t
    private let pipes: (input: Pipe, output: Pipe)

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

    /// Waits for the end of the program, once.
    ///
    /// - Returns: Its status; 128 and more where a signal ended it.
    package func waitUntilExit() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    /// Runs a program to its end. It has to read its input before it writes more than a pipe holds.
    package static func run(
        _ program: String,
        _ arguments: [String],
        in directory: URL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        input: Data = Data()
    ) throws -> (status: Int32, output: Data) {
        let process = try Subprocess(program, arguments, in: directory, environment: environment)
        try process.input.write(contentsOf: input)
        try process.input.close()
        let output = try process.output.readToEnd() ?? Data()
        return (process.waitUntilExit(), output)
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
