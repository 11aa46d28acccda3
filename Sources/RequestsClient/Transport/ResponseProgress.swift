import Requests

/// How much of a response has arrived, compared to its head.
package struct ResponseProgress: Sendable {
    package private(set) var hasHead = false

    /// Whether the library decodes the body's content encoding.
    package private(set) var isDecoded = false

    /// The length of the body. `nil` if it is known only at the end.
    package private(set) var expectedBytes: Int64?

    /// The length of an encoded body before the library decoded it. `nil` if the body isn't decoded or has no length.
    package private(set) var codedBytes: Int64?

    package private(set) var receivedBytes: Int64 = 0

    package init() {}

    /// The number of missing bytes. `nil` if the length is known only at the end.
    package var missingBytes: Int64? { expectedBytes.map { $0 - receivedBytes } }

    /// The number of received bytes before decoding, or after it if the length is unknown.
    package var receivedCodedBytes: Int64 { codedBytes ?? receivedBytes }

    /// Notes the final head. If the library decodes the body, removes the content encoding and the length, which don't
    /// describe the decoded body.
    package mutating func note(_ head: inout ResponseHead, to method: HTTPMethod, isDecoded: Bool) {
        let length = head.expectedBytes(to: method)
        hasHead = true
        self.isDecoded = isDecoded && length != 0
        expectedBytes = self.isDecoded ? nil : length
        codedBytes = self.isDecoded ? length : nil
        guard self.isDecoded else { return }
        head.header.remove(.contentEncoding)
        head.header.remove(.contentLength)
    }

    package mutating func noteReceived(_ count: Int) {
        receivedBytes += Int64(count)
    }
}
