import RequestsConformance
import RequestsTesting
import Testing

/// The interpreter, if it is installed. `scripts/test` installs it.
enum Python {
    static let isThere =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/env")
        && (try? run("print(1)", Data())) == ["1"]
    static let absence: Comment = "there is no python3; scripts/test installs it"

    /// Runs a program that reads all of its input before it writes lines.
    static func run(_ program: String, _ input: Data) throws -> [String] {
        let output = try Subprocess.run("/usr/bin/env", ["python3", "-c", program], input: input).output
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
