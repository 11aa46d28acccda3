import RequestsConformance
import RequestsTesting
import Testing

@Suite("Request bodies", .timeLimit(.minutes(5)))
struct RequestBodyTests {
    private let bytes = Data("hello".utf8)

    @Test("the length of a body is nil only if it is unknown")
    func length() {
        #expect(RequestBody.none.length == 0)
        #expect(RequestBody.data(Data()).length == 0)
        #expect(RequestBody.data(bytes).length == 5)
        #expect(RequestBody.oneShot(bytes).length == nil)
        #expect(RequestBody.oneShot(bytes, length: 5).length == 5)
    }

    @Test("a body in memory can be replayed, and a stream can't")
    func replayable() {
        #expect(RequestBody.none.isReplayable)
        #expect(RequestBody.data(bytes).isReplayable)
        #expect(!RequestBody.oneShot(bytes, length: 5).isReplayable)
    }

    @Test("no body and an empty body differ")
    func none() {
        #expect(RequestBody.none.isNone)
        #expect(RequestBody.none.data == nil)
        #expect(!RequestBody.data(Data()).isNone)
        #expect(RequestBody.data(Data()).data == Data())
        #expect(RequestBody.none != .data(Data()))
        #expect(!RequestBody.oneShot(bytes).isNone)
    }

    @Test("bytes compare by value")
    func equalBytes() {
        #expect(RequestBody.data(bytes) == .data(Data("xhello".utf8).dropFirst()))
        #expect(RequestBody.data(bytes) != .data(Data("hellO".utf8)))
        #expect(RequestBody.none == .none)
    }

    @Test("streams compare by identity")
    func equalStreams() {
        let body = RequestBody.oneShot(bytes, length: 5)
        let copy = body
        #expect(body == copy)
        #expect(body != .oneShot(bytes, length: 5))
        #expect(body != .data(bytes))
    }

    @Test("printing, comparing and building never consume a body")
    func neverConsumed() async throws {
        let body = RequestBody.oneShot(bytes)
        let request = BaseURL("https://h").post(BodyProvider { _ in body }, to: "/")
        let prepared = try request.prepared()
        #expect(prepared == (try request.prepared()))
        _ = ("\(request) \(prepared) \(prepared.body)", prepared.httpMessage(), prepared.curlCommand())
        _ = try request.curlCommand()
        #expect(try await prepared.body.makeReader().next() == bytes)
    }

    @Test("the description is the kind and the length, never the content")
    func description() {
        #expect(RequestBody.none.description == "no body")
        #expect(RequestBody.data(bytes).description == "5 bytes")
        #expect(RequestBody.oneShot(bytes).description == "a stream of unknown length")
        #expect(RequestBody.oneShot(bytes, length: 5).description == "a stream of 5 bytes")
        #expect(!"\([RequestBody.data(bytes)]) \(String(reflecting: RequestBody.data(bytes)))".contains("hello"))
    }

}
