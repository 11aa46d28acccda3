#if FullFoundation
import Foundation
import RequestsConformance
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Streamed bodies", .timeLimit(.minutes(5)))
struct RequestBodyKindsTests {
    private struct Broken: Error, Equatable {}

    private func bytes(of body: RequestBody) async throws -> Data {
        let reader = try body.makeReader()
        var all = Data()
        while let piece = try await reader.next() {
            #expect(!piece.isEmpty)
            all += piece
        }
        return all
    }

    private func withFile<Result>(_ text: String, _ body: (URL) async throws -> Result) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "it's \(UUID()).txt")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    private let api = BaseURL("https://api.example.com")

    @Test("a file can be read repeatedly from its start, and its length is known in advance")
    func file() async throws {
        try await withFile("0123456789") { file async throws in
            let body = RequestBody.file(file)
            #expect(body.length == 10)
            #expect(body.isReplayable)
            for _ in 0..<2 { #expect(try await bytes(of: body) == Data("0123456789".utf8)) }
            let part = RequestBody.file(file, range: 3..<7)
            #expect(part.length == 4)
            #expect(try await bytes(of: part) == Data("3456".utf8))
            #expect(try await bytes(of: .file(file, range: 5..<5)).isEmpty)
            #expect(body == .file(file))
            #expect(body == .file(file, range: 0..<10))
            #expect(body != part)
        }
    }

    @Test("a file is read through symbolic links, and a broken link makes the build throw")
    func link() async throws {
        try await withFile("0123456789") { file async throws in
            let links = (1...2).map { file.appendingPathExtension("link\($0)") }
            defer { for link in links { try? FileManager.default.removeItem(at: link) } }
            try FileManager.default.createSymbolicLink(at: links[0], withDestinationURL: file)
            // The path is relative to the link's directory.
            try FileManager.default.createSymbolicLink(
                atPath: links[1].path,
                withDestinationPath: links[0].lastPathComponent
            )
            for link in links {
                let body = RequestBody.file(link)
                #expect(body.length == 10)
                #expect(try await bytes(of: body) == Data("0123456789".utf8))
            }
            try FileManager.default.removeItem(at: links[0])
            let error = #expect(throws: RequestError.self) { try api.post(.file(links[1]), to: "/").prepared() }
            #expect(error?.code == .unreadableFile)
        }
    }

    @Test("a large file is read in chunks")
    func pieces() async throws {
        try await withFile(String(repeating: "x", count: 600_000)) { file async throws in
            let reader = try RequestBody.file(file).makeReader()
            var sizes: [Int] = []
            while let piece = try await reader.next() { sizes.append(piece.count) }
            #expect(sizes == [262_144, 262_144, 75_712])
        }
    }

    @Test("a missing file, a directory, a device and a range beyond the end make the build throw")
    func unreadableFile() async throws {
        try await withFile("0123456789") { file async throws in
            let missing = file.appendingPathExtension("missing")
            for (body, reason) in [
                (RequestBody.file(missing), "it doesn't exist, or its directory isn't readable."),
                (.file(file.deletingLastPathComponent()), "it is a directory."),
                (.file(URL(filePath: "/dev/null")), "it isn't a regular file."),
                (.file(URL("https://h/file")), "its URL isn't a file URL. Use URL(filePath:)."),
                (.file(file, range: 5..<11), "it has 10 bytes, but the range is 5..<11."),
                (.file(file, range: -1..<3), "it has 10 bytes, but the range is -1..<3."),
            ] {
                let error = #expect(throws: RequestError.self) {
                    try PreparedRequest(method: .post, url: RequestURL("https://h/"), body: body)
                }
                #expect(error?.code == .unreadableFile)
                #expect(error?.message.contains("can't be sent: \(reason)") == true)
            }
            let error = #expect(throws: RequestError.self) { try api.post(.file(missing), to: "/").prepared() }
            #expect(error?.subject == missing.lastPathComponent)
        }
    }

    @Test("a file that has shrunk is an error, not a shorter body")
    func shrunk() async throws {
        try await withFile("0123456789") { file async throws in
            let body = RequestBody.file(file)
            try Data("01234".utf8).write(to: file)
            let error = await #expect(throws: RequestError.self) { try await bytes(of: body) }
            #expect(error?.code == .bodyLengthMismatch)
        }
    }

    @Test("chunks are given once, without empty ones")
    func chunks() async throws {
        let words = ["one", "", "two"].map { Data($0.utf8) }
        let body = RequestBody.chunks(
            AsyncStream { c in
                words.forEach { c.yield($0) }; c.finish()
            },
            length: 6
        )
        #expect(body.length == 6)
        #expect(!body.isReplayable)
        #expect(try await bytes(of: body) == Data("onetwo".utf8))
        let error = #expect(throws: RequestError.self) { _ = try body.makeReader() }
        #expect(error?.code == .bodyAlreadyRead)
    }

    @Test("a whole file that has grown or shrunk is detected before it is sent", arguments: ["abcd", "ab"])
    func changedFile(text: String) async throws {
        try await withFile("abc") { file async throws in
            let body = RequestBody.file(file)
            try body.checkWholeFile()
            try Data(text.utf8).write(to: file)
            let error = #expect(throws: RequestError.self) { try body.checkWholeFile() }
            #expect(error?.message.hasSuffix("it had 3 bytes and now has \(text.count).") == true)
        }
    }

    @Test("single bytes are given in chunks until the sequence ends or fails")
    func singleBytes() async throws {
        let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
        let stream = AsyncStream<UInt8> { continuation in
            for byte in bytes { continuation.yield(byte) }
            continuation.finish()
        }
        var header = Header.empty
        let body = try BodyProvider.chunks(stream, length: 20_000).body(updating: &header)
        let reader = try body.makeReader()
        var sizes: [Int] = []
        var read = Data()
        while let piece = try await reader.next() {
            sizes.append(piece.count)
            read += piece
        }
        #expect(sizes == [16_384, 3_616])
        #expect(read == Data(bytes))
        let failing = AsyncThrowingStream<UInt8, any Error> { continuation in
            continuation.yield(1)
            continuation.finish(throwing: Broken())
        }
        let broken = try api.post(.chunks(failing), to: "/").prepared().body
        await #expect(throws: Broken.self) { _ = try await self.bytes(of: broken) }
    }

    @Test("chunks that are marked as replayable can be read again")
    func replayableChunks() async throws {
        struct Words: AsyncSequence, Sendable {
            struct AsyncIterator: AsyncIteratorProtocol {
                var left = ["one", "two"]
                mutating func next() async -> [UInt8]? { left.isEmpty ? nil : Array(left.removeFirst().utf8) }
            }
            func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
        }
        let body = RequestBody.chunks(Words(), isReplayable: true)
        #expect(body.isReplayable)
        #expect(body.length == nil)
        for _ in 0..<2 { #expect(try await bytes(of: body) == Data("onetwo".utf8)) }
        #expect(body == body)
        #expect(body != .chunks(Words(), isReplayable: true))
    }

    @Test(
        "chunks of more or fewer bytes than stated are an error, and the sequence's own error is rethrown",
        arguments: [5, 7]
    )
    func wrongChunks(length: Int64) async throws {
        let body = RequestBody.chunks(
            AsyncStream {
                $0.yield(Data("onetwo".utf8)); $0.finish()
            },
            length: length
        )
        let error = await #expect(throws: RequestError.self) { try await bytes(of: body) }
        #expect(error?.code == .bodyLengthMismatch)
        let failing = RequestBody.chunks(AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) })
        await #expect(throws: Broken.self) { try await bytes(of: failing) }
    }

    @Test("a body with a closure that opens a stream can be read again")
    func opener() async throws {
        let body = RequestBody.replayable(Data("hello".utf8), length: 5)
        #expect(body.isReplayable)
        for _ in 0..<2 { #expect(try await bytes(of: body) == Data("hello".utf8)) }
        let failing = RequestBody.stream(reading: { throw Broken() })
        await #expect(throws: Broken.self) { try await bytes(of: failing) }
    }

    @Test("a negative length makes the build throw")
    func negativeLength() throws {
        for body in [
            RequestBody.oneShot(Data(), length: -1),
            .replayable(Data(), length: -1),
            .chunks(AsyncStream<Data> { $0.finish() }, length: -1),
        ] {
            let error = #expect(throws: RequestError.self) {
                try PreparedRequest(method: .post, url: RequestURL("https://h/"), body: body)
            }
            #expect(error?.code == .bodyLengthMismatch)
        }
    }

    @Test("a URLRequest streams files, and building one with a sequence of chunks throws")
    func foundation() async throws {
        try await withFile("0123456789") { file async throws in
            let request = try api.post(.file(file, range: 2..<8), to: "/").toURLRequest()
            #expect(try PreparedRequest(request).body.length == 6)
            let stream = try #require(request.httpBodyStream)
            stream.open()
            var buffer = [UInt8](repeating: 0, count: 4)
            #expect(stream.read(&buffer, maxLength: 4) == 4)
            #expect(buffer == Array("2345".utf8))
            #expect(stream.read(&buffer, maxLength: 4) == 2)
            #expect(stream.read(&buffer, maxLength: 4) == 0)
            #expect(stream.streamStatus == .atEnd)
        }
        let chunks = api.post(.chunks(AsyncStream<Data> { $0.finish() }), to: "/")
        let error = #expect(throws: RequestError.self) { try chunks.toURLRequest() }
        #expect(error?.code == .unsupportedBody)
    }

    @Test("the curl command sends the bytes of a file or a range of it, whatever the file's name")
    func curlCommand() async throws {
        try await withFile("it's 100%") { file async throws in
            let whole = try api.post(.file(file, contentType: .plainText), to: "/").curlCommand()
            let part = try api.post(.file(file, range: 1..<4), to: "/").curlCommand()
            let calls = try PosixShell.calls(of: [whole, part])
            #expect(calls[0].arguments.contains("@\(file.path)"))
            #expect(calls[1].input == Data("t's".utf8))
        }
    }
}
#endif
