import Foundation
import RequestsTesting
import Testing

extension DownloadTests {
    @Test(
        "A part that is too short throws, and one that is too long is discarded, too",
        arguments: [("bytes 3-5/*", true), ("bytes 3-5/6", true), ("bytes 3-3/*", false), ("bytes 3-3/4", false)]
    )
    func wrongLength(range: String, isKept: Bool) async throws {
        let client = client { [version] request in
            request.header.contains("Range")
                ? (206, Header(Array(version) + [Field(name: "Content-Range", value: range)]), ["de"])
                : (200, version, ["abc", ""])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        let error = await #expect(throws: ClientError.self) { try await download(client) }
        #expect(error?.code == .downloadFailed)
        #expect(try names == (isKept ? [".file.partial", ".file.partial-version"] : []))
    }

    @Test("A request with a Range field throws before anything is sent")
    func askedForPart() async throws {
        let client = client { _ in (206, self.version, ["abc"]) }
        let request = api.get(.none, from: "/f").adding(headerField: .range(bytes: 0...2))
        let error = await #expect(throws: ClientError.self) { try await client.download(request, to: file) }
        #expect(error?.code == .downloadFailed)
        #expect(error?.message.hasSuffix("is always downloaded as a whole. Remove the Range field.") == true)
        #expect(sent.count == 0)
    }

    @Test(
        "A link or pipe in the place of the partial file is never written to",
        arguments: ["symbolic", "hard", "pipe"]
    )
    func notItsPart(kind: String) async throws {
        let other = directory.appendingPathComponent("other")
        try Data("precious".utf8).write(to: other)
        let part = directory.appendingPathComponent(".file.partial")
        switch kind {
        case "symbolic": try FileManager.default.createSymbolicLink(at: part, withDestinationURL: other)
        case "hard": try FileManager.default.linkItem(at: other, to: part)
        default: #expect(mkfifo(part.path, 0o600) == 0)
        }
        try await download(client { _ in (200, [], ["abc"]) })
        #expect(try content() == "abc")
        #expect(try Data(contentsOf: other) == Data("precious".utf8))
        #expect(try names == ["file", "other"])
    }

    @Test("A partial file whose version is a link isn't continued", arguments: ["symbolic", "hard"])
    func linkedVersion(kind: String) async throws {
        let client = client { [sent, version] _ in (200, version, sent.count == 1 ? ["abc", ""] : ["new"]) }
        await #expect(throws: TransportError.self) { try await download(client) }
        let version = directory.appendingPathComponent(".file.partial-version")
        let other = directory.appendingPathComponent("other")
        if kind == "symbolic" {
            try FileManager.default.moveItem(at: version, to: other)
            try FileManager.default.createSymbolicLink(at: version, withDestinationURL: other)
        } else {
            try FileManager.default.linkItem(at: version, to: other)
        }
        try await download(client)
        #expect(sent.recorded.last?.header.contains("Range") == false)
        #expect(try content() == "new")
    }

    @Test("A status that isn't accepted throws with the body, and keeps the partial file")
    func status() async throws {
        let client = client { [sent, version] _ in sent.count == 1 ? (200, version, ["abc", ""]) : (404, [], ["gone"]) }
        await #expect(throws: TransportError.self) { try await download(client) }
        let error = await #expect(throws: ResponseError.self) { try await download(client) }
        #expect(error?.data == Data("gone".utf8))
        #expect(try names == [".file.partial", ".file.partial-version"])
    }

    @Test("A status that isn't accepted throws the API's typed error")
    func apiError() async throws {
        struct Problem: Error, Decodable, Equatable { var title: String }
        let client = client { _ in (404, [.contentType(.json)], [#"{"title":"gone"}"#]) }
        let request = api.get(.none, from: "/f").decodingErrors(as: Problem.self)
        let error = await #expect(throws: ResponseError.self) { try await client.download(request, to: file) }
        #expect(error?.underlying as? Problem == Problem(title: "gone"))
    }

    @Test(
        "A URL that isn't a file URL throws, and nothing is written",
        arguments: ["https://h/tmp/requests-no-file", "requests-no-file"]
    )
    func notAFile(place: String) async throws {
        let client = client { _ in (200, [], ["abc"]) }
        let url = try #require(URL(string: place))
        let error = await #expect(throws: ClientError.self) {
            try await client.download(api.get(.none, from: "/f"), to: url)
        }
        #expect(error?.code == .downloadFailed)
        #expect(error?.message.hasSuffix("because its URL isn't a file URL. Use URL(filePath:).") == true)
        #expect(sent.count == 0)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test("A download that can't be continued leaves no files")
    func nothingToGoOnWith() async throws {
        let client = client { _ in (200, [], ["abc", ""]) }
        await #expect(throws: TransportError.self) { try await download(client) }
        #expect(try names == [])
    }
}
