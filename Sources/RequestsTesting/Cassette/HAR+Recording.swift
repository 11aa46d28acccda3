import Foundation
import Requests

/// What is kept of a message, its secrets removed.
extension HAR.Request {
    init(_ request: PreparedRequest, body: Data, without secrets: Cassette.Secrets) {
        let url = secrets.removed(fromURL: request.url.text.prefix { $0 != "#" })
        let mimeType = request.header[.contentType]
        let body = secrets.removed(fromBody: body, mimeType)
        let query = url.split(at: "?").1
        self.init(
            method: request.method.rawValue,
            url: url,
            httpVersion: "",
            cookies: HAR.cookies(in: request.header[values: .cookie].joined(separator: "; "), without: secrets),
            headers: secrets.removed(from: request.header, bodySize: body.count),
            queryString: query.map(QueryItem.items)?.map { HAR.Pair(name: $0.name, value: $0.value ?? "") } ?? [],
            postData: request.body.isNone ? nil : HAR.PostData(body, mimeType: mimeType),
            bodySize: body.count
        )
    }
}

extension HAR.Response {
    init(_ head: ResponseHead, body: Data, without secrets: Cassette.Secrets) {
        let mimeType = head.header[.contentType]
        let kept = secrets.removed(fromBody: body, mimeType)
        let cookies = head.header[values: .setCookie].map { String($0.prefix { $0 != ";" }) }
        self.init(
            status: head.statusCode,
            httpVersion: head.httpVersion?.description ?? "",
            cookies: cookies.flatMap { HAR.cookies(in: $0, without: secrets) },
            // The length of a reply to `HEAD` is not that of its body: it stays where nothing was removed.
            headers: secrets.removed(from: head.header, bodySize: kept == body ? nil : kept.count),
            content: HAR.Content(kept, mimeType: mimeType, isCoded: head.header.contains(.contentEncoding)),
            redirectURL: head.header[.location].map { secrets.removed(fromURL: $0) } ?? "",
            bodySize: kept.count
        )
    }
}

extension HAR {
    fileprivate static func cookies(in text: String, without secrets: Cassette.Secrets) -> [Pair] {
        secrets.removed(fromCookies: text).split(separator: ";").map { pair in
            let (name, value) = pair.trimmingCharacters(in: .whitespaces).split(at: "=")
            return Pair(name: String(name), value: value.map(String.init) ?? "")
        }
    }
}

extension HAR.Entry {
    /// - Parameters:
    ///   - started: When the exchange began.
    ///   - answered: When the head of the response was there.
    ///   - ended: When its body was.
    init(_ request: HAR.Request, _ response: HAR.Response, started: Date, answered: Date, ended: Date) {
        // A clock that was set back meanwhile would give times below zero, which the format knows not.
        let timings = HAR.Timings(
            send: 0,
            wait: max(0, answered.timeIntervalSince(started) * 1000).rounded(),
            receive: max(0, ended.timeIntervalSince(answered) * 1000).rounded()
        )
        var request = request
        // Only the response tells what was spoken.
        request.httpVersion = response.httpVersion
        self.init(
            startedDateTime: started.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            time: timings.wait + timings.receive,
            request: request,
            response: response,
            timings: timings
        )
    }
}
