import Foundation
import Requests
import RequestsClient

/// Where a body ends (RFC 9112 §6, §7).
extension TransportConformance.Case {
    static let framing: [Self] = [
        lengthDelimitedBody, chunkedBody, closeDelimitedBody, informationalHeads, noContent, notModified, answerToHead,
        lengthAndChunked, unaskedTransferCodings, conflictingLengths, invalidLengths, invalidChunkSize, truncatedLength,
        largestLength, truncatedChunk, missingLastChunk, bytesAfterTheEnd, trailers, cutInsideHead,
        closedWithoutAnswer, resetWithoutAnswer, resetInBody,
    ]

    /// A server plays a reply, and its body arrives.
    private static func reply(_ name: String, _ claim: String, _ reply: String, gives body: String) -> Self {
        Self(name, claim) { context in
            let response = try await context.get(context.play(reply))
            try context.expect(response.content, is: Data(body.utf8), "the body")
        }
    }

    /// A server plays replies, and each is an error.
    private static func replies(
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

    /// A body ends with its length, although the connection stays open.
    public static let lengthDelimitedBody = Self("lengthDelimitedBody", "a body ends with its length") { context in
        let server = try context.playAndWait("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        try context.expect(try await context.get(server).content, is: Data("hello".utf8), "the body")
    }

    /// Chunks are joined, and their extensions are no part of the body.
    public static let chunkedBody = Self("chunkedBody", "chunks are joined, extensions ignored") { context in
        let server = try context.playAndWait(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n6;name=\"value\"\r\n world\r\n1\r\n!\r\n0\r\n\r\n"
        )
        try context.expect(try await context.get(server).content, is: Data("hello world!".utf8), "the body")
    }

    /// A body without length and chunks ends with the connection.
    public static let closeDelimitedBody = reply(
        "closeDelimitedBody",
        "a body without a length ends with the connection",
        "HTTP/1.1 200 OK\r\n\r\nhello",
        gives: "hello"
    )

    /// Heads of 100 to 199 come before the response's.
    public static let informationalHeads = Self("informationalHeads", "1xx heads come before the response") { context in
        let server = try context.play(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        )
        let response = try await context.get(server)
        try context.expect(response.head.statusCode, is: 200, "the status")
        try context.expect(!response.head.header.contains("X-Early"), "a field of the 103 is in the response")
        try context.expect(response.content, is: Data("ok".utf8), "the body")
    }

    /// A 204 has no body, although the connection stays open.
    public static let noContent = Self("noContent", "a 204 has no body") { context in
        let server = try context.playAndWait("HTTP/1.1 204 No Content\r\n\r\n")
        let response = try await context.get(server)
        try context.expect(response.head.statusCode, is: 204, "the status")
        try context.expect(response.content, is: Data(), "the body")
    }

    /// A 304 has no body, although it can have a length.
    public static let notModified = Self("notModified", "a 304 has no body, whatever its length says") { context in
        let server = try context.playAndWait("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n")
        let response = try await context.get(server)
        try context.expect(response.head.statusCode, is: 304, "the status")
        try context.expect(response.content, is: Data(), "the body")
    }

    /// The answer to HEAD has no body, although it has a length.
    public static let answerToHead = Self("answerToHead", "the answer to HEAD has a length and no body") { context in
        let server = try context.playAndWait("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        let response = try await context.exchange(context.request(.head, server))
        try context.expect(response.head.header[.contentLength], is: "5", "Content-Length")
        try context.expect(response.content, is: Data(), "the body")
    }

    /// Chunks win over a length (RFC 9112 §6.3).
    public static let lengthAndChunked = reply(
        "lengthAndChunked",
        "chunks win over a length",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        gives: "hello"
    )

    /// Transfer codings other than chunks were not asked for, and what they make of the body is not the body.
    public static let unaskedTransferCodings = replies(
        "unaskedTransferCodings",
        "transfer codings other than chunks are an error",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        fail: .malformed
    )

    /// Lengths that differ are an error.
    public static let conflictingLengths = replies(
        "conflictingLengths",
        "lengths that differ are an error",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Length: 5\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello!",
        fail: .malformed
    )

    /// A length that is no number of bytes is an error.
    public static let invalidLengths = replies(
        "invalidLengths",
        "a length that is no number of bytes is an error",
        "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
        fail: .malformed
    )

    /// A chunk size that is no hexadecimal number is an error.
    public static let invalidChunkSize = replies(
        "invalidChunkSize",
        "a chunk size that is no number is an error",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
        fail: .malformed
    )

    /// A body that ends before its length is an error.
    public static let truncatedLength = replies(
        "truncatedLength",
        "a body that ends before its length is an error",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
        fail: .truncated
    )

    /// The largest length that a number of 64 bits holds is a length, which no body reaches.
    public static let largestLength = replies(
        "largestLength",
        "a body of the largest length ends early, too",
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\ncut short",
        fail: .truncated
    )

    /// A chunk that ends before its size is an error.
    public static let truncatedChunk = replies(
        "truncatedChunk",
        "a chunk that ends before its size is an error",
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

    /// Bytes after the end belong to no response, and their connection serves none.
    public static let bytesAfterTheEnd = Self("bytesAfterTheEnd", "bytes after the end are never a response") {
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

    /// Trailers are there after the end.
    public static let trailers = Self("trailers", "the fields after a chunked body are its trailers") { context in
        let server = try context.play(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 532\r\n\r\n"
        )
        let response = try await context.transport.send(context.request(.get, server))
        try context.expect(response.content.trailers == nil, "there are trailers before the end")
        try context.expect(try await response.content.collect(upTo: 100), is: Data("hello".utf8), "the body")
        try context.expect(response.content.trailers?["X-Sum"], is: "532", "the trailer")
    }

    /// A connection that closes inside the head is an error, not an empty response.
    public static let cutInsideHead = replies(
        "cutInsideHead",
        "a connection that closes inside the head is an error",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        "HTTP/1.1 200 OK\r\nContent-Len",
        fail: .truncated
    )

    /// A connection that closes without a byte, or inside the status line, is an error.
    public static let closedWithoutAnswer = replies(
        "closedWithoutAnswer",
        "a connection that closes without a status line is an error",
        "",
        "HTTP/1.1 20",
        fail: .closed
    )

    /// A reset without a byte is the same error.
    public static let resetWithoutAnswer = Self("resetWithoutAnswer", "a reset without a byte is an error") { context in
        let server = try context.serve { connection in
            _ = try connection.readRequest()
            connection.reset()
        }
        try await context.expectFailure(.closed) { try await context.get(server) }
    }

    /// A reset inside the body is the same error as an end there.
    public static let resetInBody = Self("resetInBody", "a reset inside the body is an error") { context in
        let mayReset = DispatchSemaphore(value: 0)
        defer { mayReset.signal() }
        let server = try context.serve { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short")
            // A reset discards what the client hasn't read yet, so wait until the head has arrived.
            mayReset.wait()
            connection.reset()
        }
        try await context.expectFailure(.truncated) {
            let response = try await context.transport.send(context.request(.get, server))
            mayReset.signal()
            return try await response.content.collect(upTo: 100)
        }
    }
}
