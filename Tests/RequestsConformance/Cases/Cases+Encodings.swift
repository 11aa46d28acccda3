import Requests
import RequestsClient
import RequestsTesting

/// Cases about content encodings that are decoded, and about unknown ones, which are delivered unchanged.
extension TransportConformance.Case {
    static let encodings: [Self] = [
        gzip, deflate, truncatedEncoding, corruptEncoding, decodingLimit, tooManyEncodings, unknownEncoding,
    ]

    /// The decoded content of the encoded bodies below.
    static let plain = Data(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40).utf8)

    /// `plain` in gzip format (RFC 1952).
    static let gzipped = data(
        "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphIwqHlU8qnhU8ajiUcXDSzEA5sOVZAgHAAA="
    )

    /// `plain` in zlib format (RFC 1950), and as raw DEFLATE (RFC 1951).
    static let deflated = [
        data("eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSMKh5VPKp4VPGo4lHFw0sxAIgKhjc="),
        data("C8lIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stUigBSuckVlUqpOSn6ymEjCoeVTyqeFTxqOJRxcNLMQA="),
    ]

    /// The start of a gzip stream of zeros. Each zero byte that follows it decodes to 1032 zeros.
    static let bombStart = data("H4sIAAAAAAACA+zBAQEAAACAkP6v7ggK")

    private static func data(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

    private static func wrongContent(_ content: Data) -> String { "the body has \(content.count) unexpected bytes" }

    private static func serve(
        _ context: TransportConformance.Context,
        _ encoding: String,
        _ body: Data
    ) throws -> LoopbackServer {
        try context.serveHTTP { _ in .init(200, header: [Field(name: .contentEncoding, value: encoding)], body: body) }
    }

    /// A gzip body is decoded, and `Content-Encoding` and `Content-Length` are removed from the header.
    public static let gzip = Self("gzip", "a gzip body is decoded, and its header fields are removed") {
        context in
        for encoding in ["gzip", "GZip", "x-gzip"] {
            let response = try await context.get(serve(context, encoding, gzipped))
            try context.expect(response.content == plain, wrongContent(response.content))
            for name in [Field.Name.contentEncoding, .contentLength] where response.head.header.contains(name) {
                try context.expect(false, "the header still has \(name), which describes the encoded body")
            }
        }
    }

    /// A deflate body is decoded, with or without the zlib wrapper.
    public static let deflate = Self("deflate", "a deflate body is decoded, with or without the zlib wrapper") {
        context in
        for body in deflated {
            let content = try await context.get(serve(context, "deflate", body)).content
            try context.expect(content == plain, wrongContent(content))
        }
    }

    /// An encoded body that ends early is an error, even if its framing is complete.
    public static let truncatedEncoding = Self("truncatedEncoding", "an encoded body that ends early is an error") {
        context in
        for length in [3, 20, gzipped.count - 9, gzipped.count - 1] {
            let server = try serve(context, "gzip", gzipped.prefix(length))
            try await context.expectFailure(.decoding) { try await context.get(server) }
        }
    }

    /// A body that doesn't match its content encoding is an error.
    public static let corruptEncoding = Self(
        "corruptEncoding",
        "a body that doesn't match its content encoding is an error"
    ) {
        context in
        var corrupt = gzipped
        corrupt[corrupt.startIndex + 30] ^= 0xFF
        for body in [corrupt, gzipped + Data("more".utf8), plain] {
            let server = try serve(context, "gzip", body)
            try await context.expectFailure(.decoding) { try await context.get(server) }
        }
    }

    /// A body that decodes to a thousand times its size is an error.
    public static let decodingLimit = Self("decodingLimit", "a decompression bomb is an error") { context in
        let server = try serve(context, "gzip", bombStart + Data(count: 20_000))
        let body = try await context.transport.send(context.request(.get, server)).content
        var received = 0
        try await context.expectFailure(.tooLarge) {
            for try await chunk in body { received += chunk.count }
        }
        try context.expect(received < 16 << 20, "\(received) bytes were delivered before the error")
    }

    /// A body with more than five content encodings is an error. No legitimate server sends one.
    public static let tooManyEncodings = Self("tooManyEncodings", "a body with six content encodings is an error") {
        context in
        let server = try serve(context, "gzip, gzip, gzip, gzip, gzip, gzip", gzipped)
        try await context.expectFailure(.decoding) { try await context.get(server) }
    }

    /// A body with an unknown content encoding is delivered as received, and keeps its header.
    public static let unknownEncoding = Self(
        "unknownEncoding",
        "a body with an unknown encoding is delivered as received"
    ) { context in
        let response = try await context.get(serve(context, "x-mystery", gzipped))
        try context.expect(response.content == gzipped, wrongContent(response.content))
        try context.expect(response.head.header[.contentEncoding], is: "x-mystery", "Content-Encoding")
    }
}
