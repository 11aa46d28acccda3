#if FullFoundation
import Foundation
import Requests
import Testing

@Suite("Stream bodies in Foundation", .timeLimit(.minutes(5)))
struct BodyInputStreamTests {
    private let body = RequestBody.stream(InputStream(data: Data("hello".utf8)))

    @Test("a stream can be read once, and reading it again is an error that says what to do")
    func once() throws {
        var buffer = [UInt8](repeating: 0, count: 16)
        let first = BodyInputStream(body)
        first.open()
        #expect(first.read(&buffer, maxLength: 16) == 5)
        let second = BodyInputStream(body)
        second.open()
        #expect(second.read(&buffer, maxLength: 16) == -1)
        let error = second.streamError as? RequestError
        #expect(error?.code == .bodyAlreadyRead)
        #expect(error?.message.contains("Make a new request each time") == true)
    }

    @Test("a missing file is an error that names it")
    func missingFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        let stream = BodyInputStream(.file(file))
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(stream.read(&buffer, maxLength: 16) == -1)
        #expect((stream.streamError as? RequestError)?.code == .unreadableFile)
    }

    @Test("the body's stream is opened when the Foundation stream is read, not before")
    func lazily() throws {
        let unopened = BodyInputStream(body)
        #expect(unopened.streamStatus == .notOpen)
        #expect(!unopened.hasBytesAvailable)
        unopened.close()

        let stream = BodyInputStream(body)
        stream.open()
        #expect(stream.streamStatus == .open)
        #expect(stream.hasBytesAvailable)
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(stream.read(&buffer, maxLength: 16) == 5)
        #expect(buffer.prefix(5) == ArraySlice("hello".utf8))
        #expect(stream.read(&buffer, maxLength: 16) == 0)
        stream.close()
        #expect(stream.streamStatus == .closed)
    }

    @Test("reading an unopened stream gives an error, not the end")
    func unopened() {
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(BodyInputStream(body).read(&buffer, maxLength: 16) == -1)
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
