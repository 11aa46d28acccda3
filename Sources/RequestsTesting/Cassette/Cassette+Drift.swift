import Requests
import RequestsClient

extension Cassette {
    /// A response of the real server that differs from the recorded response.
    public struct Drift: Sendable, CustomStringConvertible {
        /// The method and the URL of the request.
        public let request: String

        /// The differences from the recorded response: of the status, the compared fields and the body.
        public let difference: PreparedRequest.Difference

        /// The request, followed by one line for each difference.
        public var description: String { "\(request)\n\(difference)" }
    }

    /// Sends the recorded requests to the real server, one by one, and compares the responses with the recorded ones.
    ///
    /// Only requests with a safe method such as `GET` (RFC 9110 §9.2.1) are sent. The recording has no secrets, so
    /// redacted header fields are omitted, and `prepare` must replace all other redacted values. New responses are
    /// redacted before they are compared. A request that fails is reported as a difference with the error's code.
    ///
    /// - Parameters:
    ///   - transport: The transport to the server.
    ///   - fields: The header fields to compare. Default: `Content-Type`.
    ///   - prepare: Changes each request before it is sent, for example to add credentials. Default: no changes.
    /// - Returns: The responses that differ. Empty if the recording is up to date.
    /// - Throws: ``CassetteError`` if a recorded request is invalid or still contains a redacted value; any error of
    ///   `prepare`; `CancellationError`.
    public func drift(
        against transport: any Transport,
        comparing fields: [Field.Name] = [.contentType],
        _ prepare: (inout PreparedRequest) throws -> Void = { _ in }
    ) async throws -> [Drift] {
        var drifts: [Drift] = []
        for entry in tape.entries where HTTPMethod(rawValue: entry.request.method).isSafe {
            var request: PreparedRequest
            do {
                request = try PreparedRequest(recorded: entry.request)
            } catch {
                throw CassetteError(message: "\(entry.request.summary) can't be sent: \(error)", underlying: error)
            }
            try prepare(&request)
            if request.isRedacted || hidesNumbers(request, recorded: entry.request) {
                throw CassetteError(
                    message: "\(entry.request.summary) can't be sent with a redacted value; set the real one in prepare"
                )
            }
            let new = try await lines(of: request, over: transport, comparing: fields)
            let difference = PreparedRequest.Difference(from: entry.response.lines(comparing: fields), to: new)
            if !difference.isEmpty { drifts.append(Drift(request: entry.request.summary, difference: difference)) }
        }
        return drifts
    }

    /// Whether the body contains a 0 that replaced a secret number.
    private func hidesNumbers(_ request: PreparedRequest, recorded: HAR.Request) -> Bool {
        let header = recorded.postData.map { Header([Field(name: .contentType, value: $0.mimeType)]) } ?? []
        // If the rules would change the body, `prepare` has set a real value.
        guard let body = request.body.data, !secrets.stored(body, header).isRedacted else { return false }
        // Puts a 1 in the place of each 0. If the rules change that, the 0 replaced a secret.
        let probe = Data(body.map { $0 == UInt8(ascii: "0") ? UInt8(ascii: "1") : $0 })
        return secrets.stored(probe, header).isRedacted
    }

    private func lines(
        of request: PreparedRequest,
        over transport: any Transport,
        comparing fields: [Field.Name]
    ) async throws -> [PreparedRequest.Line] {
        do {
            let response = try await transport.send(request)
            let body = try await response.content.collect(upTo: maximumBodyBytes)
            return HAR.Response(response.head, body: body, redacting: secrets).lines(comparing: fields)
        } catch let error as TransportError {
            return [PreparedRequest.Line("error", error.code.rawValue)]
        }
    }
}

extension HAR.Response {
    fileprivate func lines(comparing fields: [Field.Name]) -> [PreparedRequest.Line] {
        let header = Header(recorded: headers)
        let values = fields.flatMap { name in
            header[values: name].map { PreparedRequest.Line(name.rawValue, $0) }
        }
        let body = content.data ?? Data()
        let bodyLines =
            body.isEmpty ? [] : PreparedRequest.lines(of: body, header)
        return [PreparedRequest.Line("status", String(status))] + values + bodyLines
    }
}

extension PreparedRequest {
    fileprivate init(recorded request: HAR.Request) throws {
        let left = Header(recorded: request.headers).filter {
            !$0.value.contains(Redaction.placeholder) && ![.host, .contentLength, .transferEncoding].contains($0.name)
        }
        try self.init(
            method: HTTPMethod(rawValue: request.method),
            url: RequestURL(request.url),
            header: Header(left),
            body: request.postData == nil ? .none : .data(request.body)
        )
    }

    /// Whether the URL, the header or a body in memory still contains a redacted value.
    fileprivate var isRedacted: Bool {
        let body = String(decoding: self.body.data ?? Data(), as: UTF8.self)
        return ([url.text, body] + header.map(\.value)).contains { $0.contains(Redaction.placeholder) }
    }
}
