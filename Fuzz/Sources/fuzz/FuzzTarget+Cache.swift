import Foundation

@testable import Requests
@testable import RequestsCache
@testable import RequestsSystem

extension FuzzTarget {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    static let cache = [
        FuzzTarget(
            "cache-rules",
            seeds: [
                ["max-age=60", "Accept", "Thu, 18 Aug 2050 02:01:18 GMT", "bytes 0-1/2", "no-cache", "bytes=0-1"],
                ["private=\"a, b\", max-age=\"1", "*", "0", "", "max-stale", "bytes=-9223372036854775807"],
            ]
        ) { input in
            let header: Header = [
                .cacheControl: input.text(), "Vary": input.text(), "Expires": input.text(),
                "Content-Range": input.text(),
                "ETag": "\"a\"",
            ]
            let request = try PreparedRequest(
                url: RequestURL("https://a/"),
                header: [.cacheControl: input.text(), .range: input.text(), .ifNoneMatch: input.text()]
            )
            for status in [200, 206] {
                let rules = HTTPCache.Rules()
                let head = try ResponseHead(statusCode: status, header: header, url: request.url)
                let attempt = HTTPCache.Attempt(request, from: [], reason: "")
                let outcome = rules.follow(head, to: attempt, requestTime: now, responseTime: now)
                guard case .store(var stored, _) = outcome.effects.last else { continue }
                require(header[.cacheControl] != "no-store", "no-store is respected")
                if !stored.isPartial { stored.length = 10 }
                switch rules.serve(request, from: [stored], at: now + 10) {
                case .fresh:
                    let (_, bytes) = try stored.reply(to: request, CacheStatus(.hit, age: 10, reason: ""))
                    require(0 <= bytes.lowerBound && bytes.upperBound <= stored.length, "the bytes are stored")
                case .revalidate(let attempt):
                    _ = rules.follow(head, to: attempt, requestTime: now, responseTime: now)
                default: break
                }
            }
        },
        FuzzTarget("cache-files", seeds: [[seed]]) { input in
            let line = input.remainder()
            let path = FileManager.default.temporaryDirectory.path + "/requests-fuzz-\(getpid())"
            // With a valid checksum, so that the line itself is read.
            try (Data("body\n".utf8) + line + Data(Checksums.text(of: line).utf8)).write(to: URL(fileURLWithPath: path))
            guard let response = try EntryFile.open(path, "a")?.response else { return }
            require(response.length == 4, "the length is the body's")
            require(response.age(at: now).isFinite, "the age is finite")
            let read = try JSONDecoder().decode([HTTPCache.StoredResponse].self, from: JSONEncoder().encode([response]))
            require(read == [response], "a stored response is read back")
            let request = try PreparedRequest(url: RequestURL("https://a/"), header: [.range: "bytes=1-2"])
            if response.canAnswer(request) { _ = try? response.reply(to: request, CacheStatus(.hit, reason: "")) }
        },
    ]

    private static let seed: String = {
        guard let head = try? ResponseHead(statusCode: 206, header: ["ETag": "a"], url: RequestURL("https://a/"))
        else { return "" }
        var stored = HTTPCache.StoredResponse(head, ["foo": nil], now, now)
        stored.length = 4
        let line = EntryFile.Line(name: "a", response: stored, checksums: Checksums(of: Data("body".utf8)).values)
        let text = (try? EntryFile.text(of: line)) ?? Data()
        return String(decoding: text.dropFirst().dropLast(16), as: UTF8.self)
    }()
}
