import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Archives of browsers", .timeLimit(.minutes(5)))
struct CassetteImportTests {
    private func cassette(_ entries: String, _ mode: Cassette.Mode = .replay) throws -> Cassette {
        let file = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(
            #"{"log": {"version": "1.2", "creator": {"name": "b", "version": "1"}, "entries": [\#(entries)]}}"#.utf8
        )
        .write(to: file)
        return try Cassette(file, mode: mode, matching: [.method, .url])
    }

    @Test("an archive with only the necessary fields is replayed")
    func lenient() async throws {
        let cassette = try cassette(
            #"""
            {"request": {"method": "POST", "url": "https://h/a#top", "postData": {"params": [{"name": "a", "value": "1"}]}},
             "response": {"status": 200, "content": {"text": "hello"}}, "timings": {"wait": null}},
            {"request": {"method": "GET", "url": "https://h/empty", "headers": [{"name": ":path", "value": "/"}]},
             "response": {"status": 204}}
            """#
        )
        #expect(try await cassette.exchange(.post, "https://h/a").body == "hello")
        #expect(try await cassette.exchange(.get, "https://h/empty").head.statusCode == 204)
    }

    @Test("entries that aren't complete HTTP exchanges are skipped")
    func skipped() throws {
        let entries = [("data:text/plain,a", 200), ("https://h/blocked", 0), ("wss://h/s", 101), ("https://h/s", 101)]
            .map { #"{"request": {"method": "GET", "url": "\#($0)"}, "response": {"status": \#($1)}}"# }
        #expect(try cassette(entries.joined(separator: ",")).unused.isEmpty)
    }

    @Test("an entry without a date has expired")
    func undated() throws {
        let entry = #"{"request": {"method": "GET", "url": "https://h/a"}, "response": {"status": 200}}"#
        let file = FileManager.default.temporaryDirectory.appending(path: "undated-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let log = #"{"log": {"version": "1.2", "creator": {"name": "b", "version": "1"}, "entries": [\#(entry)]}}"#
        try Data(log.utf8).write(to: file)
        let error = #expect(throws: CassetteError.self) { try Cassette(file, mode: .replay, expires: .seconds(1)) }
        #expect(error?.message.contains("GET https://h/a was recorded without a date") == true)
    }
}
