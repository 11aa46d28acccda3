import Foundation
import RequestsTesting

/// A temporary cassette file, recorded from a stub.
struct CassetteFile {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "cassettes-\(UUID().uuidString)/recorded.har")

    var text: String {
        get throws { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
    }

    var log: [String: Any]? {
        get throws {
            let archive = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
            return archive?["log"] as? [String: Any]
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    /// Records the requests that a closure sends over the cassette.
    func record(
        over transport: StubTransport,
        secrets: Cassette.Secrets = Cassette.Secrets(),
        _ exchange: (Cassette) async throws -> Void
    ) async throws {
        let dates = Recorder<Void>()
        let cassette = try Cassette(url, mode: .record(over: transport), secrets: secrets) {
            // The clock advances by a quarter of a second with each reading.
            dates.record()
            return Date(timeIntervalSince1970: 1_700_000_000 + 0.25 * Double(dates.count))
        }
        try await exchange(cassette)
        try cassette.save()
    }
}

extension Transport {
    /// Sends a request and reads the whole response.
    func exchange(
        _ method: HTTPMethod = .get,
        _ url: String,
        header: Header = .empty,
        body: RequestBody = .none
    ) async throws -> (head: ResponseHead, body: String) {
        let request = try PreparedRequest(method: method, url: RequestURL(url), header: header, body: body)
        let response = try await send(request)
        let data = try await response.content.collect(upTo: 1 << 20)
        return (response.head, String(decoding: data, as: UTF8.self))
    }
}
