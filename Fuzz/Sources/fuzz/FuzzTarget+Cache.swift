import Foundation

@testable import Requests
@testable import RequestsCache

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
            for (status, isShared) in [(200, false), (206, false), (200, true)] {
                let rules = HTTPCache.Rules(isShared: isShared)
                let head = try ResponseHead(statusCode: status, header: header, url: request.url)
                let effect = rules.effect(of: head, to: request, updating: nil, requestTime: now, responseTime: now)
                guard case .store(let stored) = effect else { continue }
                require(header[.cacheControl] != "no-store", "no-store is respected")
                require(HTTPCache.StoredResponse(text: stored.text) == stored, "a stored response is read back")
                if case .fresh = rules.answer(to: request, from: [stored], at: now + 10) {
                    let (_, bytes) = try stored.reply(to: request, CacheStatus(.hit, age: 10, reason: ""))
                    require(0 <= bytes.lowerBound && bytes.upperBound <= stored.length, "the bytes are stored")
                }
            }
        },
        FuzzTarget("cache-text", seeds: [["requests-cache-1 200 1.1 0 1.0 2.0 0 3 -\nhttps://a/\nvA:b\nhC:d"]]) {
            input in
            guard let response = HTTPCache.StoredResponse(text: input.text()) else { return }
            require(HTTPCache.StoredResponse(text: response.text) == response, "a stored response is read back")
            require(response.age(at: now).isFinite, "the age is finite")
        },
        FuzzTarget("cache-files", seeds: []) { input in
            let data = input.remainder()
            guard let read = EntryFormat.read(data, fileLength: Int64(data.count)) else { return }
            require(read.textEnd <= data.count, "the text is in the file")
        },
    ]
}
