import Foundation

/// A path of a server, and the response that a visitor must get.
struct Page: Sendable {
    let path: String
    var isUpload = false
    var status = 200
    /// Whether the server sends the whole body. Otherwise reading must fail.
    var isComplete = true
    /// Returns the body for an upload of a given size.
    let body: @Sendable (_ uploadedBytes: Int) -> Data

    /// The pages of ``LoopbackServer/misbehaving()``.
    static let misbehaving = [
        Page(path: "/small") { _ in Data("small".utf8) },
        Page(path: "/large") { _ in large },
        Page(path: "/upload", isUpload: true) { Data("\($0)".utf8) },
        Page(path: "/refused", status: 503) { _ in Data() },
        Page(path: "/drip") { _ in Data(String(repeating: "abc", count: 20).utf8) },
        Page(path: "/cut", isComplete: false) { _ in large.prefix(50_000) },
        Page(path: "/reset", isComplete: false) { _ in large.prefix(50_000) },
    ]

    /// The pages of the nginx for the tests.
    static let nginx = [
        Page(path: "/json") { _ in json },
        Page(path: "/bytes/1m") { _ in lines },
        Page(path: "/unique") { _ in json },
        Page(path: "/status/204", status: 204) { _ in Data() },
        Page(path: "/echo", isUpload: true) { Data("POST /echo\n\napplication/octet-stream \($0)\n".utf8) },
    ]

    /// Bytes that differ by position, so that a misplaced piece is found.
    static let large = Data((0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    private static let json: Data = {
        let (start, end) = (#"{"id":1,"name":"Ada","padding":""#, "\"}")
        return Data((start + String(repeating: "x", count: 2048 - start.count - end.count) + end).utf8)
    }()

    private static let lines: Data = {
        let line = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n"
        return Data(String(repeating: line, count: (1 << 20) / line.utf8.count).utf8)
    }()
}
