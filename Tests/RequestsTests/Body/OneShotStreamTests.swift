import Foundation
import Testing

@testable import Requests

@Suite("A stream that can be taken once", .timeLimit(.minutes(5)))
struct OneShotStreamTests {
    @Test("is taken once: the second to ask gets an error that says what to do")
    func once() throws {
        let source = OneShotStream(InputStream(data: Data("hello".utf8)))
        _ = try source.take()
        let error = #expect(throws: RequestError.self) { _ = try source.take() }
        #expect(error?.code == .bodyAlreadyRead)
        #expect(error?.message.contains("make a new request for each sending") == true)
    }

    @Test("is only taken by a Foundation stream when that is opened")
    func lazily() throws {
        let source = OneShotStream(InputStream(data: Data("hello".utf8)))
        let unopened = OneShotStreamTests.input(source)
        #expect(unopened.streamStatus == .notOpen)
        #expect(!unopened.hasBytesAvailable)
        unopened.close()

        let stream = OneShotStreamTests.input(source)
        stream.open()
        #expect(stream.streamStatus == .open)
        #expect(stream.hasBytesAvailable)
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(stream.read(&buffer, maxLength: 16) == 5)
        #expect(buffer.prefix(5) == ArraySlice("hello".utf8))
        stream.close()
        #expect(stream.streamStatus == .closed)
    }

    @Test("read before it was opened gives an error, not an end")
    func unopened() {
        let stream = OneShotStreamTests.input(OneShotStream(InputStream(data: Data("hello".utf8))))
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(stream.read(&buffer, maxLength: 16) == -1)
    }

    @Test("can be asked for its error when there is none: that does not trap")
    func noError() async {
        await #expect(processExitsWith: .success) {
            let stream = OneShotStreamTests.input(OneShotStream(InputStream(data: Data("hello".utf8))))
            #expect(stream.streamError == nil)
            stream.open()
            #expect(stream.streamError == nil)
            stream.close()
            #expect(stream.streamError == nil)
        }
    }

    @Test("makes a Foundation stream for a body that is a stream, and for no other")
    func bodies() {
        #expect(RequestBody.none.makeInputStream() == nil)
        #expect(RequestBody.data(Data("x".utf8)).makeInputStream() == nil)
        #expect(RequestBody.stream(InputStream(data: Data())).makeInputStream() != nil)
    }

    private static func input(_ stream: OneShotStream) -> BodyInputStream {
        BodyInputStream { StreamBodySource(try stream.take()) }
    }
}
