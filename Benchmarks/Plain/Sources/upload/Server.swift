import Foundation
import RequestsTesting

/// A server in a separate process, because its memory must not count.
struct Server {
    let baseURL: URL
    private let process = Process()

    /// Starts this program again, as the server.
    init() throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["serve"]
        process.standardOutput = output
        // The server stops at the end of its input, so it can't outlive this process.
        process.standardInput = Pipe()
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let url = URL(string: line.trimmingCharacters(in: .newlines)) else { throw URLError(.badURL) }
        baseURL = url
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Responds to each request with the length of its body.
    static func run() throws {
        let server = try LoopbackServer { connection in
            while let head = try connection.readHead() {
                let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                let length = field.flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
                var received = 0
                while received < length ?? 0 {
                    let bytes = try connection.read()
                    guard !bytes.isEmpty else { return }
                    received += bytes.count
                }
                try connection.write(LoopbackServer.Answer(200, .plainText, "\(received)"))
            }
        }
        try FileHandle.standardOutput.write(contentsOf: Data("\(server.baseURL)\n".utf8))
        _ = try FileHandle.standardInput.readToEnd()
        server.stop()
    }
}
