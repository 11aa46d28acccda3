import RequestsConformance
import RequestsTesting
import Testing

/// Runs curl commands in `/bin/sh`, with a function named `curl` that prints its arguments and input.
enum PosixShell {
    /// One call of curl.
    struct Call: Equatable {
        var arguments: [String]
        var input = Data()

        init(arguments: [String], input: Data = Data()) {
            self.arguments = arguments
            self.input = input
        }

        /// A call with a text body. The body is an argument, or the standard input if a terminal would change it.
        init(text: String, after options: [String], to url: String) {
            let isPlain = text.unicodeScalars.allSatisfy {
                !(0..<0x20).contains($0.value) && !(0x7F..<0xA0).contains($0.value) || $0 == "\n"
            }
            arguments = options + (isPlain ? ["--data-raw", text] : ["--data-binary", "@-"]) + [url]
            if !isPlain { input = Data(text.utf8) }
        }
    }

    /// The calls that commands make, in order.
    ///
    /// The commands run in an empty directory, so a word that escapes its quotes does no harm and leaves a trace.
    static func calls(of commands: [String]) throws -> [Call] {
        let directory = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }

        // Count, arguments, and standard input as hexadecimal digits, each ended by NUL.
        let curl = #"curl() { printf '%s\0' "$#" "$@" "$(od -An -v -tx1 | tr -d ' \n')"; }"#
        let script = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID()).sh")
        defer { try? FileManager.default.removeItem(at: script) }
        try Data(([curl] + commands).joined(separator: "\n").utf8).write(to: script)

        let (status, printed) = try Subprocess.run("/bin/sh", [script.path], in: directory)
        #expect(status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty, "a command wrote a file")
        return try parse(printed)
    }

    private static func parse(_ printed: Data) throws -> [Call] {
        var calls: [Call] = []
        var words = printed.split(separator: 0, omittingEmptySubsequences: false)[...]
        while words.count > 1, let first = words.popFirst() {
            let count = try #require(Int(String(decoding: first, as: UTF8.self)))
            try #require(words.count > count)
            let arguments = words.prefix(count).map { String(decoding: $0, as: UTF8.self) }
            let input = try bytes(ofHexadecimal: words.dropFirst(count).first ?? Data())
            calls.append(Call(arguments: arguments, input: input))
            words = words.dropFirst(count + 1)
        }
        return calls
    }

    private static func bytes(ofHexadecimal digits: Data) throws -> Data {
        var bytes = Data()
        var rest = digits[...]
        while !rest.isEmpty {
            bytes.append(try #require(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)))
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
