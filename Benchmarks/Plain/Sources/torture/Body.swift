import Foundation

/// The bodies that the server sends, and those that it gets.
enum Body {
    static let json: Data = {
        let (start, end) = (#"{"id":1,"name":"Ada","padding":""#, "\"}")
        return Data((start + String(repeating: "x", count: length - start.count - end.count) + end).utf8)
    }()

    static let lines: Data = {
        let line = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n"
        return Data(String(repeating: line, count: (1 << 20) / line.utf8.count).utf8)
    }()

    /// The size of a request body.
    static let length = 2048

    /// A request body in pieces.
    static var pieces: AsyncStream<Data> {
        AsyncStream { continuation in
            for _ in 0..<4 { continuation.yield(json.prefix(length / 4)) }
            continuation.finish()
        }
    }
}
