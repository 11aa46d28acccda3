import Requests

/// Initializers that convert real messages to recorded ones, with their secrets redacted.
extension HAR.Request {
    init(_ request: PreparedRequest, body: Data, redacting secrets: Cassette.Secrets) {
        let url = secrets.redacted(url: request.url.text.prefix { $0 != "#" })
        let mimeType = request.header[.contentType]
        let stored = secrets.stored(body, request.header, isSensitive: request.body.isSensitive)
        var header = request.header
        if stored.isDecoded { header.remove(.contentEncoding) }
        let body = stored.data
        let query = url.split(at: "?").1
        self.init(
            method: request.method.rawValue,
            url: url,
            httpVersion: "",
            cookies: HAR.cookies(in: request.header[values: .cookie].joined(separator: "; "), redacting: secrets),
            headers: secrets.redacted(header, bodySize: body.count),
            queryString: query.map(QueryItem.items)?.map { HAR.Pair(name: $0.name, value: $0.value ?? "") } ?? [],
            postData: request.body.isNone ? nil : HAR.PostData(body, mimeType: mimeType),
            bodySize: body.count
        )
    }
}

extension HAR.Response {
    init(_ head: ResponseHead, body: Data, redacting secrets: Cassette.Secrets) {
        let mimeType = head.header[.contentType]
        let stored = secrets.stored(body, head.header, isPart: head.statusCode == 206)
        // A body without secrets is replayed as it was sent.
        let kept = stored.isRedacted ? stored.data : body
        let isEncoded = head.header.contains(.contentEncoding) && !(stored.isRedacted && stored.isDecoded)
        let cookies = head.header[values: .setCookie].map { String($0.prefix { $0 != ";" }) }
        self.init(
            status: head.statusCode,
            httpVersion: head.httpVersion?.description ?? "",
            cookies: cookies.flatMap { HAR.cookies(in: $0, redacting: secrets) },
            // `Content-Length` changes only if the body was redacted, because in a response to HEAD it isn't the length
            // of this body.
            headers: secrets.redacted(head.header, bodySize: kept == body ? nil : kept.count),
            content: HAR.Content(kept, mimeType: mimeType, isContentEncoded: isEncoded),
            redirectURL: head.header[.location].map { secrets.redacted(url: $0) } ?? "",
            bodySize: kept.count
        )
    }
}

extension HAR {
    fileprivate static func cookies(in text: String, redacting secrets: Cassette.Secrets) -> [Pair] {
        secrets.redacted(cookies: text).split(separator: ";").map { pair in
            let (name, value) = pair.trimmingFieldWhitespace().split(at: "=")
            return Pair(name: String(name), value: value.map(String.init) ?? "")
        }
    }
}

extension HAR.Entry {
    /// - Parameters:
    ///   - started: The start of the exchange.
    ///   - responded: The arrival of the response's header.
    ///   - ended: The end of the response body.
    init(_ request: HAR.Request, _ response: HAR.Response, started: Date, responded: Date, ended: Date) {
        // At least 0, because the system's clock may be set back and the format has no negative times.
        let timings = HAR.Timings(
            send: 0,
            wait: max(0, responded.timeIntervalSince(started) * 1000).rounded(),
            receive: max(0, ended.timeIntervalSince(responded) * 1000).rounded()
        )
        var request = request
        // Only the response knows the version of the protocol.
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
