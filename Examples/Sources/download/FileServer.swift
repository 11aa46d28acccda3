import Foundation
import RequestsTesting

/// A slow server with one file, which supports ranges (RFC 9110 §14).
enum FileServer {
    static let content = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    private static let tag = Field.EntityTag(value: "v1")

    static func start() throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let start = start(of: request)
                print("    server: from byte \(start)")
                try connection.write(head(from: start))
                var rest = content[start...]
                while !rest.isEmpty {
                    try connection.write(rest.prefix(100_000))
                    rest = rest.dropFirst(100_000)
                    Thread.sleep(forTimeInterval: 0.01)
                }
            }
        }
    }

    /// Returns the start of the requested range, or 0 if the client has a different version of the file.
    private static func start(of request: LoopbackServer.Request) -> Int {
        guard let range = request.header[.range], request.header[.ifRange] == tag.rawValue else { return 0 }
        return Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
    }

    private static func head(from start: Int) -> String {
        let range = "Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)\r\n"
        return "HTTP/1.1 \(start > 0 ? "206 Partial Content\r\n\(range)" : "200 OK\r\n")"
            + "ETag: \(tag)\r\nContent-Length: \(content.count - start)\r\n\r\n"
    }
}
