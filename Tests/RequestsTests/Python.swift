import Foundation
import Testing

/// The interpreter, where the machine has one; `scripts/test` installs it.
enum Python {
    static let isThere =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/env")
        && (try? run("print(1)", Data())) == ["1"]
    static let absence: Comment = "there is no python3; scripts/test installs it"

    /// Runs a program that reads all of its input before it writes lines.
    static func run(_ program: String, _ input: Data) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program]
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = FileHandle.nullDevice
        try process.run()
        stdin.fileHandleForWriting.write(input)
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
