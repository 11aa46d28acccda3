import Requests
import RequestsClient
import RequestsSystem
import RequestsTesting

/// Cases about servers that respond before they have received the whole request body. HTTP allows both directions at
/// the same time, and only a status of 300 and above ends the upload.
extension TransportConformance.Case {
    static let earlyResponses: [Self] = [
        earlyResponse, earlyRefusalOfSlowSource, earlySuccess, earlySuccessOfFailingSource, earlySuccessOfShortSource,
        closingEarlySuccess, closedAfterEarlySuccess, connectionOfRefusal,
    ]

    /// A response that refuses a request is delivered even if it arrives before the whole request body was sent.
    public static let earlyResponse = Self("earlyResponse", "a refusal before the end of the upload is delivered") {
        context in
        let server = try context.serve { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            // Reads the rest of the upload, so that a reset doesn't discard the response.
            while !(try connection.read().isEmpty) {}
        }
        let request = try context.request(.post, server, body: .data(Data(count: 8 << 20)))
        let response = try await context.exchange(request)
        try context.expect(response.head.statusCode, is: 413, "the status")
    }

    /// A successful response that precedes the end of the upload is delivered early, and its end only after the upload.
    public static let earlySuccess = earlySuccess("earlySuccess", "a success before the end of the upload waits for it")
    { context, response, pieces in
        try context.expect(try await response.next(), is: Data("ok".utf8), "the response")
        pieces.yield(Data("two.".utf8))
        pieces.finish()
        try context.expect(try await response.next(), is: nil, "the rest of the response")
    }

    /// If the source fails after a successful response, the request wasn't sent as a whole, which is an error.
    public static let earlySuccessOfFailingSource = earlySuccess(
        "earlySuccessOfFailingSource",
        "a success isn't the end of an upload whose source fails"
    ) { context, response, pieces in
        pieces.finish(throwing: POSIXError(.EIO))
        let error = try await context.expectFailure(.sourceFailed) { while try await response.next() != nil {} }
        try context.expect((error.underlying as? POSIXError)?.code, is: .EIO, "the cause")
    }

    /// A source that is shorter than its declared length is an error, whatever the server has responded.
    public static let earlySuccessOfShortSource = earlySuccess(
        "earlySuccessOfShortSource",
        "a success isn't the end of an upload that is shorter than declared",
        length: 9
    ) { context, response, pieces in
        pieces.finish()
        let error = try await context.expectFailure(.sourceFailed) { while try await response.next() != nil {} }
        try context.expect((error.underlying as? RequestError)?.code, is: .bodyLengthMismatch, "the cause")
    }

    /// A refusal ends the upload, also while its source has nothing to send.
    public static let earlyRefusalOfSlowSource = earlySuccess(
        "earlyRefusalOfSlowSource",
        "a refusal doesn't wait for a slow source",
        reply: "409 Conflict\r\nContent-Length: 2\r\n\r\nok"
    ) { context, response, pieces in
        try context.expect(try await response.next(), is: Data("ok".utf8), "the response")
        try context.expect(try await response.next(), is: nil, "the rest of the response")
        pieces.finish()
    }

    /// - Parameter test: Called when the head of the response has arrived, while the source may have more to send.
    private static func earlySuccess(
        _ name: String,
        _ claim: String,
        length: Int64? = nil,
        reply: String = "200 OK\r\nContent-Length: 2\r\n\r\nok",
        _ test:
            @escaping @Sendable (
                TransportConformance.Context, ResponseBody.AsyncIterator,
                AsyncThrowingStream<Data, any Error>.Continuation
            ) async throws -> Void
    ) -> Self {
        streamed(name, claim, rejected: { .chunks(AsyncStream<Data> { $0.finish() }) }) { context in
            let server = try context.serve { connection in
                _ = try connection.readHead()
                // The first word, in a chunk without a known length.
                _ = try connection.readBytes(length == nil ? 9 : 4)
                try connection.write("HTTP/1.1 \(reply)")
                while !(try connection.read().isEmpty) {}
            }
            let (source, pieces) = AsyncThrowingStream.makeStream(of: Data.self)
            pieces.yield(Data("one.".utf8))
            let request = try context.request(.post, server, body: .chunks(source, length: length))
            let response = try await context.transport.send(request).content.makeAsyncIterator()
            try await test(context, response, pieces)
        }
    }

    /// A server that announces the end of the connection with a success may not read the rest of the upload.
    public static let closingEarlySuccess = streamed(
        "closingEarlySuccess",
        "a success that closes the connection is the end only of an upload that was sent",
        rejected: { .chunks(AsyncStream<Data> { $0.finish() }) }
    ) { context in
        let (rests, received) = AsyncStream.makeStream(of: String.self)
        let server = try context.serve { connection in
            defer { received.finish() }
            _ = try connection.readHead()
            _ = try connection.readBytes(9)
            try connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
            var rest = [UInt8]()
            while case let bytes = try connection.read(), !bytes.isEmpty { rest += bytes }
            received.yield(String(decoding: rest, as: UTF8.self))
        }
        let (source, pieces) = AsyncStream.makeStream(of: Data.self)
        pieces.yield(Data("one.".utf8))
        let request = try context.request(.post, server, body: .chunks(source))
        do {
            let response = try await context.transport.send(request).content.makeAsyncIterator()
            try context.expect(try await response.next(), is: Data("ok".utf8), "the response")
            pieces.yield(Data("two.".utf8))
            pieces.finish()
            try context.expect(try await response.next(), is: nil, "the rest of the response")
        } catch let error as TransportError where error.code == .closed {
            return
        }
        for await rest in rests { try context.expect(rest, is: "4\r\ntwo.\r\n0\r\n\r\n", "the rest of the upload") }
    }

    /// A server that refuses an upload early may close the connection instead of reading the rest, so it isn't reused.
    public static let connectionOfRefusal = Self(
        "connectionOfRefusal",
        "a connection isn't reused after an upload that was refused early"
    ) { context in
        let length = 300_000
        let server = try context.serve { connection in
            while let head = try connection.readHead() {
                let isUpload = head.contains("\(length)")
                if isUpload { _ = try connection.readBytes(length - 1) }
                let status = isUpload ? "413 Content Too Large" : "200 OK"
                try connection.write("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let upload = try context.request(.post, server, body: .data(Data(count: length)))
        try context.expect(try await context.exchange(upload).head.statusCode, is: 413, "the status")
        try context.expect(try await context.get(server).head.statusCode, is: 200, "the next status")
        try context.expect(server.acceptedConnections, is: 2, "the number of connections")
    }

    /// A server that responds with a success and then closes hasn't received the whole request.
    public static let closedAfterEarlySuccess = Self(
        "closedAfterEarlySuccess",
        "a success before a connection closes isn't the end of the upload"
    ) { context in
        let server = try context.serve { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            // Reads more than the client has sent when it receives the response.
            _ = try connection.readBytes(4 << 20)
        }
        let request = try context.request(.post, server, body: .data(Data(count: 32 << 20)))
        let error = try await context.expectFailure(.closed) { try await context.exchange(request) }
        try context.expect(error.requestMayHaveBeenProcessed, "the request may have been processed")
    }
}
