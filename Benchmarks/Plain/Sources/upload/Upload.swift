import Foundation
import RequestsCurl
import RequestsTesting
import Usage

/// Uploads a file of 1 GiB over libcurl, alone and in a multipart body, to a server in another process, and measures
/// the memory.
///
///     upload
///
/// Fails if memory ever exceeds the initial value by 32 MiB, or if the server doesn't receive all bytes.
@main
struct Upload {
    private static let size = 1 << 30
    private static let limit = 32 << 20

    static func main() async throws {
        if CommandLine.arguments.dropFirst().first == "serve" { return try Server.run() }
        exit(try await passes() ? 0 : 1)
    }

    private static func passes() async throws -> Bool {
        let server = try Server()
        defer { server.stop() }
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        // The file is sparse, so it takes no space.
        try Data().write(to: file)
        try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(size))

        let client = Client(transport: try CurlTransport())
        let api = BaseURL(server.baseURL)
        // The first exchange starts resources that the process keeps.
        _ = try await client.send(api.post(.file(file, range: 0..<(1 << 20)), to: "/").receiving(.text))
        var passed = true
        for (name, body) in [
            ("a file", BodyProvider.file(file)),
            ("a multipart body", .multipart([.field("a", "b"), .file("c", file), .field("d", "e")])),
        ] {
            passed = try await send(api.post(body, to: "/").receiving(.text), client, name) && passed
        }
        if !passed { print("failed: at most \(limit >> 20) MiB are allowed, and the server must receive all bytes") }
        return passed
    }

    private static func send(
        _ request: Request<BaseURL, String>,
        _ client: Client,
        _ name: String
    ) async throws -> Bool {
        let length = try request.prepared().body.length
        let idle = Usage.now.residentBytes
        try Usage.forgetPeak()
        let start = ContinuousClock.now
        let received = try await client.send(request)
        let time = (ContinuousClock.now - start) / .seconds(1)
        let above = Usage.peakResidentBytes - idle
        print(
            String(
                format: "%@: %@ bytes in %.1f s, memory %.1f MiB above idle",
                name,
                received,
                time,
                Double(above) / 1048576
            )
        )
        return above <= limit && received == length.map { "\($0)" }
    }
}
