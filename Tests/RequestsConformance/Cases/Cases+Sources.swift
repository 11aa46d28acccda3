import Requests
import RequestsClient
import RequestsTesting

/// Cases about request bodies that aren't in memory: files, file ranges and asynchronous chunks.
extension TransportConformance.Case {
    static let sources: [Self] = [fileBody, fileRange, missingFile, asyncChunks, duplexEcho]

    private static func withFile<Result>(
        _ bytes: Data,
        _ body: (URL) async throws -> Result
    ) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    private static func echo(_ context: TransportConformance.Context) throws -> LoopbackServer {
        try context.serveHTTP { .init(200, header: [.contentType(.binary)], body: $0.body) }
    }

    /// A file is sent unchanged.
    public static let fileBody = streamed(
        "fileBody",
        "a file is sent unchanged",
        rejected: { try await withFile(pattern(100)) { .file($0) } }
    ) { context in
        let bytes = pattern(300_001)
        try await withFile(bytes) { file in
            let request = try context.request(.post, echo(context), body: .file(file))
            let echo = try await context.exchange(request).content
            try context.expect(
                echo == bytes,
                "the server received \(echo.count) unexpected bytes, not the \(bytes.count) of the file"
            )
        }
    }

    /// Exactly the given range of a file is sent.
    public static let fileRange = streamed(
        "fileRange",
        "exactly the given range of a file is sent",
        rejected: { try await withFile(pattern(100)) { .file($0, range: 0..<50) } }
    ) { context in
        let bytes = pattern(300_001)
        try await withFile(bytes) { file in
            let request = try context.request(.post, echo(context), body: .file(file, range: 70_000..<250_000))
            let echo = try await context.exchange(request).content
            try context.expect(
                echo == bytes[70_000..<250_000],
                "the server received \(echo.count) unexpected bytes, not the range"
            )
        }
    }

    /// A file that no longer exists is an error that contains the cause.
    public static let missingFile = streamed(
        "missingFile",
        "a file that no longer exists is an error",
        rejected: { try await withFile(pattern(100)) { .file($0) } }
    ) { context in
        for range in [nil, 0..<50] as [Range<Int64>?] {
            let body = try await withFile(pattern(100)) { RequestBody.file($0, range: range) }
            let request = try context.request(.post, echo(context), body: body)
            let error = try await context.expectFailure(.sourceFailed) { try await context.exchange(request) }
            try context.expect(error.underlying != nil, "the cause is missing")
        }
    }

    /// The chunks of an asynchronous sequence are sent in order.
    public static let asyncChunks = streamed(
        "asyncChunks",
        "the chunks of an asynchronous sequence are sent",
        rejected: { .chunks(AsyncStream<Data> { $0.finish() }, length: 0) }
    ) { context in
        let chunks = (0..<50).map { pattern(100 * $0) }
        let source = AsyncStream(Data.self) { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
        let expected = Data(chunks.joined())
        let request = try context.request(.post, echo(context), body: .chunks(source, length: Int64(expected.count)))
        let echo = try await context.exchange(request).content
        try context.expect(
            echo == expected,
            "the server received \(echo.count) unexpected bytes, not the \(expected.count) sent"
        )
    }

    /// A response can be read while its request is still being sent.
    public static let duplexEcho = streamed(
        "duplexEcho",
        "a response can be read while its request is being sent",
        rejected: { .chunks(AsyncStream<Data> { $0.finish() }) }
    ) { context in
        let server = try context.serve { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<3 {
                // A chunk of four bytes takes nine: its size line `4` CR LF, the bytes, and CR LF.
                let chunk = try connection.readBytes(9)
                try connection.write(chunk)
            }
            _ = try connection.readBytes(5)
            try connection.write("0\r\n\r\n")
            while !(try connection.read().isEmpty) {}
        }
        let (source, words) = AsyncStream.makeStream(of: Data.self)
        let request = try context.request(.post, server, body: .chunks(source))
        words.yield(Data("one.".utf8))
        let body = try await context.transport.send(request).content
        var received = ""
        var next = ["two.", "six."][...]
        for try await chunk in body {
            received += String(decoding: chunk, as: UTF8.self)
            guard received.utf8.count.isMultiple(of: 4) else { continue }
            if let word = next.popFirst() { words.yield(Data(word.utf8)) } else { words.finish() }
        }
        try context.expect(received, is: "one.two.six.", "the echo")
    }
}
