import Foundation
import Requests
import RequestsClient

/// Content codings: undone, or left alone and said so.
extension TransportConformance.Case {
    static let codings: [Self] = [
        gzip, deflate, truncatedCoding, spoiltCoding, decodingLimit, tooManyCodings, unknownCoding,
    ]

    /// What the coded fixtures are of.
    static let plain = Data(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40).utf8)

    /// `plain` in the format of gzip (RFC 1952).
    static let gzipped = data(
        "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphIwqHlU8qnhU8ajiUcXDSzEA5sOVZAgHAAA="
    )

    /// `plain` in the format of zlib (RFC 1950), and without a wrapper (RFC 1951).
    static let deflated = [
        data("eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSMKh5VPKp4VPGo4lHFw0sxAIgKhjc="),
        data("C8lIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stUigBSuckVlUqpOSn6ymEjCoeVTyqeFTxqOJRxcNLMQA="),
    ]

    /// The start of a gzip of zeros, which goes on with zeros: 1032 for each.
    static let bombStart = data("H4sIAAAAAAACA+zBAQEAAACAkP6v7ggK")

    private static func data(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

    private static func serve(
        _ context: TransportConformance.Context,
        _ coding: String,
        _ body: Data
    ) throws -> LoopbackServer {
        try context.serveHTTP { _ in .init(200, header: [Field(name: .contentEncoding, value: coding)], body: body) }
    }

    /// A body that comes in gzip is what it was before, and its header no longer says otherwise.
    public static let gzip = Self("gzip", "a body in gzip is decoded, and so is what the header says of it") {
        context in
        for coding in ["gzip", "GZip", "x-gzip"] {
            let response = try await context.get(serve(context, coding, gzipped))
            try context.expect(response.content == plain, "\(response.content.count) bytes arrived, or others")
            for name in [Field.Name.contentEncoding, .contentLength] where response.head.header.contains(name) {
                try context.expect(false, "\(name) is that of the body before it was decoded")
            }
        }
    }

    /// A body that comes in deflate is what it was before.
    public static let deflate = Self("deflate", "a body in deflate is decoded, with zlib's wrapper and without") {
        context in
        for body in deflated {
            let content = try await context.get(serve(context, "deflate", body)).content
            try context.expect(content == plain, "\(content.count) bytes arrived, or others")
        }
    }

    /// A coded body that ends early is an error, even if its framing is in order.
    public static let truncatedCoding = Self("truncatedCoding", "a coded body that ends early is an error") { context in
        for length in [3, 20, gzipped.count - 9, gzipped.count - 1] {
            let server = try serve(context, "gzip", gzipped.prefix(length))
            try await context.expectFailure(.decoding) { try await context.get(server) }
        }
    }

    /// Bytes that are not in the coding they are said to be in are an error.
    public static let spoiltCoding = Self("spoiltCoding", "bytes that are not in their coding are an error") {
        context in
        var spoilt = gzipped
        spoilt[spoilt.startIndex + 30] ^= 0xFF
        for body in [spoilt, gzipped + Data("more".utf8), plain] {
            let server = try serve(context, "gzip", body)
            try await context.expectFailure(.decoding) { try await context.get(server) }
        }
    }

    /// A body that grows a thousandfold is given up.
    public static let decodingLimit = Self("decodingLimit", "a body that grows a thousandfold is given up") { context in
        let server = try serve(context, "gzip", bombStart + Data(count: 20_000))
        let body = try await context.transport.send(context.request(.get, server)).content
        var received = 0
        try await context.expectFailure(.tooLarge) {
            for try await chunk in body { received += chunk.count }
        }
        try context.expect(received < 16 << 20, "\(received) bytes were delivered first")
    }

    /// A body in more than five codings is none that anybody sends in good faith.
    public static let tooManyCodings = Self("tooManyCodings", "a body in six codings is an error") { context in
        let server = try serve(context, "gzip, gzip, gzip, gzip, gzip, gzip", gzipped)
        try await context.expectFailure(.decoding) { try await context.get(server) }
    }

    /// A body in a coding that nobody asked for arrives as it is, and says so.
    public static let unknownCoding = Self("unknownCoding", "a body in an unknown coding arrives as it is") { context in
        let response = try await context.get(serve(context, "x-mystery", gzipped))
        try context.expect(response.content == gzipped, "\(response.content.count) bytes arrived, or others")
        try context.expect(response.head.header[.contentEncoding], is: "x-mystery", "Content-Encoding")
    }
}
