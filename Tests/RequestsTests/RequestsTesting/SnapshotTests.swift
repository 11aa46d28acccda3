import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("Snapshots of messages", .timeLimit(.minutes(5)))
struct SnapshotTests {
    private let api = AnonymousRequestProvider("https://h")

    private func chunks(_ texts: String...) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    @Test("the content of a streamed body is shown, with the head of the streamed request")
    func streamed() async throws {
        let request = try api.post(.chunks(chunks(#"{"a": 1, "#, #""password": "c4nary"}"#)), to: "/a").prepared()
        let message = try await request.setting(.contentType(.json)).httpMessage(collecting: 100)
        #expect(
            message == """
                POST /a HTTP/1.1
                Host: h
                Content-Type: application/json
                Transfer-Encoding: chunked

                {"a": 1, "password": "<redacted>"}
                """
        )
    }

    @Test("a body above the limit throws, and a body in memory needs no limit")
    func limit() async throws {
        let request = try api.post(.chunks(chunks("abc", "def")), to: "/a").prepared()
        await #expect(throws: RequestError.self) { try await request.httpMessage(collecting: 5) }
        let memory = try api.post(.text("abcdef"), to: "/a").prepared()
        #expect(try await memory.httpMessage(collecting: 1) == memory.httpMessage())
    }

    @Test("two builds of a form with a file give the same message")
    func stable() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "snapshot-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("content".utf8).write(to: file)
        let form = BodyProvider.multipart([.field("name", "Ada"), .file("doc", file, filename: "a.txt")])
        let first = try await api.post(form, to: "/a").prepared().httpMessage(collecting: 10_000)
        let second = try await api.post(form, to: "/a").prepared().httpMessage(collecting: 10_000)
        #expect(first == second)
        #expect(first.contains("Content-Type: multipart/form-data; boundary=boundary\n"))
        #expect(first.contains("\n--boundary\r\nContent-Disposition: form-data; name=\"doc\"; filename=\"a.txt\"\r\n"))
        #expect(first.hasSuffix("content\r\n--boundary--\r\n"))
    }

    @Test("control characters are shown escaped, and line ends and tabs as they are")
    func controls() throws {
        let request = try api.post(.text("a\u{1B}[31m\u{0}\tb\r\nc\rd\u{85}e\nf🦊"), to: "/a").prepared()
        #expect(request.httpMessage().hasSuffix("\n\na\\u{1B}[31m\\0\tb\r\nc\\rd\\u{0085}e\nf🦊"))
    }
}

extension PreparedRequest {
    fileprivate func setting(_ field: Field) -> PreparedRequest {
        var copy = self
        copy.header.set(field)
        return copy
    }
}
