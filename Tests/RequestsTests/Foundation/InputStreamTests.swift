#if FullFoundation
import Foundation
import Requests
import RequestsConformance
import RequestsTesting
import Testing

@Suite("Foundation streams as bodies", .timeLimit(.minutes(5)))
struct InputStreamTests {
    private let api = BaseURL("https://h")

    @Test("`.raw(stream:)` is read once and has an unknown length by default")
    func rawStream() async throws {
        let request = try api.post(.raw(stream: InputStream(data: Data("abc".utf8))), to: "/").prepared()
        #expect(request.header == [.contentType(.binary)])
        #expect(request.body.length == nil)
        #expect(!request.body.isReplayable)
        #expect(try await request.body.makeReader().next() == Data("abc".utf8))

        let png = BodyProvider.raw(stream: InputStream(data: Data("abc".utf8)), length: 3, contentType: .png)
        #expect(try api.post(png, to: "/").prepared().body.length == 3)
        #expect(try api.post(png, to: "/").prepared().header == [.contentType(.png)])
    }

    @Test("bodies of the same stream are equal, and bodies of different streams aren't")
    func sameStream() {
        // Only compared, never read.
        nonisolated(unsafe) let stream = InputStream(data: Data("a".utf8))
        let body = RequestBody.stream(stream)
        #expect(body == .stream(stream))
        #expect(body != .stream(stream, length: 1))
        #expect(body != .oneShot(Data("a".utf8)))
    }

    @Test("a stream that can't be opened is an error, not an empty body", arguments: [nil, 0, 5] as [Int64?])
    func unreadable(length: Int64?) async throws {
        let stream = try #require(InputStream(fileAtPath: "/nonexistent/requests/body"))
        let body = RequestBody.stream(stream, length: length)
        await #expect(throws: (any Error).self) { try await body.collect(upTo: 5) }
    }

    private final class FailingStream: InputStream {
        override func open() {}
        override func close() {}
        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int { -1 }
    }

    @Test("a stream that fails without an error makes the reader throw")
    func failsSilently() async {
        await #expect(processExitsWith: .success) {
            let reader = try RequestBody.stream(FailingStream(data: Data())).makeReader()
            await #expect(throws: (any Error).self) { try await reader.next() }
        }
    }

    private final class RecordingStream: InputStream {
        let events = Recorder<String>()

        init() {
            super.init(data: Data())
        }

        override func open() { events.record("open") }
        override func close() { events.record("close") }
        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int { 0 }
    }

    @Test("a reader opens its stream once and closes it at its end")
    func closing() async throws {
        let stream = RecordingStream()
        let events = stream.events
        let body = RequestBody.stream(stream)
        #expect(events.recorded.isEmpty)
        do {
            let reader = try body.makeReader()
            #expect(try await reader.next() == nil)
            #expect(events.recorded == ["open", "close"])
        }
        #expect(events.recorded == ["open", "close"])
    }

    // MARK: Stream bodies in Foundation

    private let body = RequestBody.stream(InputStream(data: Data("hello".utf8)))

    @Test("a missing file is an error that names it")
    func missingFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        let stream = BodyInputStream(.file(file))
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(stream.read(&buffer, maxLength: 16) == -1)
        #expect((stream.streamError as? RequestError)?.code == .unreadableFile)
    }

    @Test("the body's stream is opened when the Foundation stream is read, not before, and reading before is an error")
    func lazily() throws {
        var buffer = [UInt8](repeating: 0, count: 16)
        let unopened = BodyInputStream(body)
        #expect(unopened.streamStatus == .notOpen)
        #expect(!unopened.hasBytesAvailable)
        #expect(unopened.read(&buffer, maxLength: 16) == -1)
        unopened.close()

        let stream = BodyInputStream(body)
        stream.open()
        #expect(stream.streamStatus == .open)
        #expect(stream.hasBytesAvailable)
        #expect(stream.read(&buffer, maxLength: 16) == 5)
        #expect(buffer.prefix(5) == ArraySlice("hello".utf8))
        #expect(stream.read(&buffer, maxLength: 16) == 0)
        stream.close()
        #expect(stream.streamStatus == .closed)
    }

    @Test("the error of a stream without an error is nil")
    func noError() async {
        await #expect(processExitsWith: .success) {
            let stream = BodyInputStream(RequestBody.stream(InputStream(data: Data("hello".utf8))))
            #expect(stream.streamError == nil)
            stream.open()
            #expect(stream.streamError == nil)
            stream.close()
            #expect(stream.streamError == nil)
        }
    }

    @Test("only a body that isn't in memory makes a Foundation stream")
    func bodies() {
        #expect(RequestBody.none.makeInputStream() == nil)
        #expect(RequestBody.data(Data("x".utf8)).makeInputStream() == nil)
        #expect(body.makeInputStream() != nil)
    }
}
#endif
