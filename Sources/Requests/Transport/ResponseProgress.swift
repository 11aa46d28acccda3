/// How far a response has come, against what its head has promised.
package struct ResponseProgress: Sendable {
    package private(set) var hasHead = false

    /// Whether the library undoes the body's content coding.
    package private(set) var isDecoded = false

    /// How long the body is to be; `nil` where only its end will tell.
    package private(set) var expectedBytes: Int64?

    /// How long a coded body was before the library decoded it, where its framing told.
    package private(set) var codedBytes: Int64?

    package private(set) var receivedBytes: Int64 = 0

    package init() {}

    /// How many bytes the body still has; `nil` where only its end will tell.
    package var missingBytes: Int64? { expectedBytes.map { $0 - receivedBytes } }

    /// What was received of the body as it was sent.
    package var receivedCodedBytes: Int64 { codedBytes ?? receivedBytes }

    /// Notes the final head. That of a body which the library decodes loses the coding and the length, which are not
    /// true of what is delivered.
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
