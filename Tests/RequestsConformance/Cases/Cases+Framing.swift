import Requests
import RequestsClient
import RequestsTesting

/// Cases about how the end of a body is found (RFC 9112 §6, §7).
extension TransportConformance.Case {
    static let framing: [Self] = [
        lengthDelimitedBody, chunkedBody, closeDelimitedBody, informationalHeads, noContent, notModified,
        responseToHead, lengthAndChunked, unsupportedTransferEncodings, conflictingLengths, invalidLengths,
        invalidChunkSize, truncatedBody, maximumLength, truncatedChunk, missingLastChunk, bytesAfterResponse,
        trailers, truncatedHead, closedBeforeResponse, resetBeforeResponse, resetInBody,
    ]

    /// Returns a case in which a server sends a raw response whose body must arrive.
    private static func reply(_ name: String, _ claim: String, _ reply: String, hasBody body: String) -> Self {
        Self(name, claim) { context in
            let response = try await context.get(context.play(reply))
            try context.expect(response.content, is: Data(body.utf8), "the body")
        }
    }

    /// Returns a case in which each of several raw responses must fail.
    static func replies(
        _ name: String,
        _ claim: String,
        _ replies: String...,
        fail code: TransportError.Code
    ) -> Self {
        Self(name, claim) { context in
            for reply in replies {
                let server = try context.play(reply)
                try await context.expectFailure(code) { try await context.get(server) }
            }
        }
    }

    /// A body ends after `Content-Length` bytes, even if the connection stays open.
    public static let lengthDelimitedBody = Self("lengthDelimitedBody", "a body ends after Content-Length bytes") {
        context in
        let server = try context.playKeepingOpen("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        try context.expect(try await context.get(server).content, is: Data("hello".utf8), "the body")
    }

    /// Chunks are joined, and chunk extensions are ignored.
    public static let chunkedBody = Self("chunkedBody", "chunks are joined, and extensions are ignored") { context in
        let server = try context.playKeepingOpen(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n6;name=\"value\"\r\n world\r\n1\r\n!\r\n0\r\n\r\n"
        )
        try context.expect(try await context.get(server).content, is: Data("hello world!".utf8), "the body")
    }

    /// A body without a length or chunks ends when the connection closes.
    public static let closeDelimitedBody = reply(
        "closeDelimitedBody",
        "a body without a length ends when the connection closes",
        "HTTP/1.1 200 OK\r\n\r\nhello",
        hasBody: "hello"
    )

    /// Informational responses (100–199) precede the final one.
    public static let informationalHeads = Self("informationalHeads", "1xx responses precede the final one") {
        context in
        let server = try context.play(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        )
        let response = try await context.get(server)
        try context.expect(response.head.statusCode, is: 200, "the status")
        try context.expect(!response.head.header.contains("X-Early"), "a field of the 103 is in the response")
        try context.expect(response.content, is: Data("ok".utf8), "the body")
    }

    /// A 204 response has no body, even if the connection stays open.
    public static let noContent = Self("noContent", "a 204 response has no body") { context in
        let server = try context.playKeepingOpen("HTTP/1.1 204 No Content\r\n\r\n")
        let response = try await context.get(server)
        try context.expect(response.head.statusCode, is: 204, "the status")
        try context.expect(response.content, is: Data(), "the body")
    }

    /// A 304 response has no body, even with a `Content-Length`.
    public static let notModified = Self("notModified", "a 304 response has no body, even with a Content-Length") {
        context in
        let server = try context.playKeepingOpen("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n")
        let response = try await context.get(server)
        try context.expect(response.head.statusCode, is: 304, "the status")
        try context.expect(response.content, is: Data(), "the body")
    }

    /// A response to HEAD keeps its `Content-Length` but has no body.
    public static let responseToHead = Self("responseToHead", "a response to HEAD has a Content-Length but no body") {
        context in
        let server = try context.playKeepingOpen("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        let response = try await context.exchange(context.request(.head, server))
        try context.expect(response.head.header[.contentLength], is: "5", "Content-Length")
        try context.expect(response.content, is: Data(), "the body")
    }

    /// `Transfer-Encoding: chunked` overrides `Content-Length` (RFC 9112 §6.3).
    public static let lengthAndChunked = reply(
        "lengthAndChunked",
        "Transfer-Encoding: chunked overrides Content-Length",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        hasBody: "hello"
    )

    /// Transfer encodings other than chunked are an error, because the transport didn't ask for them.
    public static let unsupportedTransferEncodings = replies(
        "unsupportedTransferEncodings",
        "transfer encodings other than chunked are an error",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        fail: .malformed
    )

    /// Conflicting lengths are an error.
    public static let conflictingLengths = replies(
        "conflictingLengths",
        "conflicting lengths are an error",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Length: 5\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello!",
        fail: .malformed
    )

    /// A length that isn't a valid number of bytes is an error.
    public static let invalidLengths = replies(
        "invalidLengths",
        "a length that isn't a valid number is an error",
        "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
        fail: .malformed
    )

    /// A chunk size that isn't a hexadecimal number is an error.
    public static let invalidChunkSize = replies(
        "invalidChunkSize",
        "a chunk size that isn't a hexadecimal number is an error",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
        fail: .malformed
    )

    /// A body shorter than its `Content-Length` is an error.
    public static let truncatedBody = replies(
        "truncatedBody",
        "a body shorter than its Content-Length is an error",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
        fail: .truncated
    )

    /// The largest 64-bit `Content-Length` is accepted, and a body shorter than it fails as truncated.
    public static let maximumLength = replies(
        "maximumLength",
        "a body shorter than the largest 64-bit length is an error",
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\ncut short",
        fail: .truncated
    )

    /// A chunk shorter than its size is an error.
    public static let truncatedChunk = replies(
        "truncatedChunk",
        "a chunk shorter than its size is an error",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhello",
        fail: .truncated
    )

    /// A chunked body without its last chunk is an error.
    public static let missingLastChunk = replies(
        "missingLastChunk",
        "a chunked body without its last chunk is an error",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        fail: .truncated
    )

    /// Bytes after a response are discarded, and the connection isn't reused.
    public static let bytesAfterResponse = Self(
        "bytesAfterResponse",
        "bytes after a response are never the next response"
    ) {
        context in
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let server = try context.serve { connection in
            while try connection.readRequest() != nil {
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood" + evil)
            }
        }
        for _ in 0..<3 {
            try context.expect(try await context.get(server).content, is: Data("good".utf8), "the body")
        }
    }

    /// Trailers are available after the end of the body.
    public static let trailers = Self("trailers", "trailers are available after the end of the body") { context in
        let server = try context.play(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                + "5\r\nhello\r\n0\r\nX-Sum: 532\r\n\r\n"
        )
        let response = try await context.transport.send(context.request(.get, server))
        try context.expect(response.content.trailers == nil, "trailers are available before the end of the body")
        try context.expect(try await response.content.collect(upTo: 100), is: Data("hello".utf8), "the body")
        try context.expect(response.content.trailers?["X-Sum"], is: "532", "the trailer")
    }
}
