import Foundation
import Requests
import RequestsClient

extension PreparedRequest {
    /// The request as an HTTP/1.1 message for snapshots, as `httpMessage(revealingSecrets:)`, with the content of a
    /// streamed body.
    ///
    /// The boundary of a form with files, which changes with each process, is shown as `boundary`. A body that can be
    /// read only once can't be sent afterwards.
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum size of the body.
    ///   - revealingSecrets: Whether credentials are shown. Default: `false`.
    /// - Throws: `RequestError` if the body is larger or can't be read, and errors of its source.
    public func httpMessage(
        collecting maximumBytes: Int,
        revealingSecrets: Bool = false
    ) async throws -> String {
        let message = httpMessage(revealingSecrets: revealingSecrets)
        guard !body.isNone, body.data == nil, let end = message.range(of: "\n\n") else { return message }
        var collected = self
        collected.body = .data(try await body.collect(upTo: maximumBytes))
        // The head is that of the streamed body, which may have no length.
        let text = collected.httpMessage(revealingSecrets: revealingSecrets)
        let content = text[(text.range(of: "\n\n")?.upperBound ?? text.endIndex)...]
        let whole = String(message[..<end.upperBound] + content)
        guard let boundary = header[.contentType].flatMap({ MediaType($0) })?.boundary else { return whole }
        return whole.replacing(boundary, with: "boundary")
    }
}
