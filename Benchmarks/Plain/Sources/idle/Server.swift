import CConnections
import Foundation

/// A server in a separate process, so that its memory does not count. It responds when all connections are there.
struct Server {
    let url: URL
    /// The server ends with its input, so it can't outlive this process.
    private let input = Pipe()

    /// Starts this program again, as the server.
    init(connections: Int) throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["serve", "\(connections)"]
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let url = URL(string: line.trimmingCharacters(in: .newlines)) else { throw URLError(.badURL) }
        self.url = url
    }

    func stop() {
        try? input.fileHandleForWriting.close()
    }

    /// Serves until the standard input ends.
    static func run(connections: Int) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, size)
                _ = getsockname(listener, address, &size)
            }
        }
        listen(listener, 4096)
        let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
        try FileHandle.standardOutput.write(contentsOf: Data("\(url)\n".utf8))
        connections_serve(listener, Int32(connections))
        _ = try FileHandle.standardInput.readToEnd()
    }
}
