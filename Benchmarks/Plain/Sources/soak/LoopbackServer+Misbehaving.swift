import Foundation
import RequestsTesting

extension LoopbackServer {
    /// A server with a path for each kind of misbehavior. See ``Page/misbehaving``.
    static func misbehaving() throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                guard try answer(request, on: connection) else { return }
            }
        }
    }

    /// - Returns: Whether the connection can be used again.
    private static func answer(_ request: Request, on connection: Connection) throws -> Bool {
        switch request.path {
        case "/large": try connection.write(Answer(200, body: Page.large))
        case "/upload": try connection.write(Answer(200, .plainText, "\(request.body.count)"))
        case "/refused": try connection.write(Answer(503, header: [Field(name: "Connection", value: "close")]))
        case "/drip":
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<20 { try connection.write("3\r\nabc\r\n") }
            try connection.write("0\r\n\r\n")
        case "/cut", "/reset":
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            try connection.write([UInt8](Page.large.prefix(50_000)))
            if request.path == "/reset" { connection.reset() }
            return false
        default: try connection.write(Answer(200, .plainText, "small"))
        }
        return request.path != "/refused"
    }
}
