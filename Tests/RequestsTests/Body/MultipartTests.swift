import Foundation
import Requests
import Testing

@Suite("A multipart body", .timeLimit(.minutes(5)))
struct MultipartTests {
    private let api = AnonymousRequestProvider("https://api.example.com")

    private func prepared(_ multipart: Multipart, boundary: String = "X") throws -> PreparedRequest {
        try api.post(.multipart(multipart, boundary: { boundary }), to: "/").prepared()
    }

    @Test("has its parts in order, each with what is said of it")
    func parts() throws {
        var custom = Multipart.Part.data("d", Data([0x61]), filename: "a.bin", contentType: .binary)
        custom.header = [Field(name: "X-Note", value: "1")]
        let request = try prepared([.field("title", "Ünder\r\nscore"), custom, .field("", "")])
        #expect(request.header == [Field(name: .contentType, value: "multipart/form-data; boundary=X")])
        #expect(
            request.body.data
                == Data(
                    """
                    --X\r
                    Content-Disposition: form-data; name="title"\r
                    \r
                    Ünder\r
                    score\r
                    --X\r
                    Content-Disposition: form-data; name="d"; filename="a.bin"\r
                    Content-Type: application/octet-stream\r
                    X-Note: 1\r
                    \r
                    a\r
                    --X\r
                    Content-Disposition: form-data; name=""\r
                    \r
                    \r
                    --X--\r\n
                    """.utf8
                )
        )
    }

    @Test("writes names as browsers do, so that none can start a line or end its quotes")
    func names() throws {
        let request = try prepared([.data("a\"b\r\nc: d", Data(), filename: "ü\"\n.txt")])
        let text = String(decoding: request.body.data ?? Data(), as: UTF8.self)
        #expect(text.contains(#"name="a%22b%0D%0Ac: d"; filename="ü%22%0A.txt""#))
        #expect(text.split(separator: "\r\n").count == 3)
    }

    @Test("a part's own field that smuggles a line makes the build throw")
    func partHeader() throws {
        var part = Multipart.Part.field("a", "b")
        part.header = [Field(name: "X", value: "1\r\nY: 2")]
        let error = #expect(throws: RequestError.self) { try prepared([part]) }
        #expect(error?.code == .invalidFieldValue)
    }

    @Test("a part's media type that smuggles a line makes the build throw")
    func partType() throws {
        let type = MediaType(type: "a", subtype: "b", parameters: [.init("p", "1\r\nX: 2")])
        let error = #expect(throws: RequestError.self) { try prepared([.data("a", Data(), contentType: type)]) }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.culprit == "Content-Type")
    }

    @Test("takes no boundary that is in one of its parts")
    func boundary() throws {
        let candidates = Recorder<String>()
        let provider = BodyProvider.multipart([.field("a", "text --one text"), .field("b", "--two")]) {
            candidates.record("asked")
            return ["one", "two", "three"][candidates.recorded.count - 1]
        }
        let type = try api.post(provider, to: "/").prepared().header[.contentType]
        #expect(type == "multipart/form-data; boundary=three")
    }

    @Test("appends a number to a boundary that is always the same and in one of its parts")
    func fixedBoundary() throws {
        let request = try prepared([.field("a", "--X and --X1")])
        #expect(request.header[.contentType] == "multipart/form-data; boundary=X2")
    }

    @Test("built again it is the same")
    func again() throws {
        let request = api.post(.multipart([.field("a", "b")]), to: "/")
        #expect(try request.prepared() == request.prepared())
    }

    @Test("looks at a file when it is built, not when the part is made")
    func grownFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        let request = api.post(.multipart([.file("a", file)], boundary: { "X" }), to: "/")
        try Data("short".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let length = try #require(try request.prepared().body.length)
        try Data("longer".utf8).write(to: file)
        let body = try request.prepared().body
        #expect(body.length == length + 1)
        let reader = try body.makeReader()
        var all = Data()
        while let piece = try await reader.next() { all += piece }
        #expect(all.suffix(15) == Data("longer\r\n--X--\r\n".utf8))
    }

    @Test("reads files while it is sent, its length known before")
    func files() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID()).jpg")
        try Data(count: 400_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = try prepared([.field("a", "b"), .file("photo", file, filename: "p.jpg", contentType: .jpeg)])
        #expect(request.body.data == nil)
        #expect(request.body.isReplayable)
        let reader = try request.body.makeReader()
        var all = Data()
        var largest = 0
        while let piece = try await reader.next() {
            all += piece
            largest = max(largest, piece.count)
        }
        #expect(Int64(all.count) == request.body.length)
        #expect(largest == 262_144)
        #expect(all.suffix(9) == Data("\r\n--X--\r\n".utf8))
        #expect(request.httpMessage().contains("<400000 bytes of the file"))

        let calls = try PosixShell.calls(of: [request.curlCommand()])
        #expect(calls.first?.input == all)

        try FileManager.default.removeItem(at: file)
        #expect(throws: RequestError.self) { try prepared([.file("photo", file)]) }
    }
}
