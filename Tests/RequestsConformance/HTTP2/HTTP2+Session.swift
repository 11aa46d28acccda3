import Requests
import RequestsClient
import RequestsSystem
import RequestsTesting

extension HTTP2 {
    /// One connection of a server that follows the rules of HTTP/2. Each response is sent by a thread of its stream.
    final class Session: Sendable {
        typealias Handler = @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Answer

        private let connection: LoopbackServer.Connection
        private let handler: Handler
        private let windows = Windows()

        /// The maximum payload size in bytes that every client accepts.
        private static let maximumPayload = 16_384

        private struct Upload {
            var fields: [HPACK.Decoder.Field]
            var body = Data()
        }

        init(_ connection: LoopbackServer.Connection, _ handler: @escaping Handler) {
            (self.connection, self.handler) = (connection, handler)
        }

        /// Serves the connection until the client closes it.
        func run() throws {
            defer { windows.closeAll() }
            try connection.acceptHTTP2()
            var decoder = HPACK.Decoder()
            var uploads: [UInt32: Upload] = [:]
            while let frame = try connection.readFrame() {
                try connection.acknowledge(frame)
                switch frame.kind {
                case .headers:
                    let fields = try decoder.decode(readBlock(of: frame))
                    // Ignores the trailers of a request.
                    guard uploads[frame.stream] == nil else { break }
                    uploads[frame.stream] = Upload(fields: fields)
                    windows.open(frame.stream)
                case .data:
                    uploads[frame.stream]?.body += try frame.content()
                    try enlargeWindows(for: frame)
                default: note(frame)
                }
                guard [.headers, .data].contains(frame.kind), frame.flags.contains(.endStream),
                    let upload = uploads.removeValue(forKey: frame.stream)
                else { continue }
                respond(to: LoopbackServer.Request(upload.fields, upload.body), on: frame.stream)
            }
        }

        private func note(_ frame: Frame) {
            switch frame.kind {
            case .settings:
                if let size = frame.value(of: .initialWindowSize) { windows.setInitialSize(Int(size)) }
            case .windowUpdate: windows.enlarge(frame.stream, by: Int(frame.number(at: 0)))
            case .resetStream: windows.close(frame.stream)
            default: break
            }
        }

        /// Returns a whole field block. Reads the CONTINUATION frames that follow the frame.
        private func readBlock(of headers: Frame) throws -> [UInt8] {
            var (frame, block) = (headers, try headers.content())
            while !frame.flags.contains(.endHeaders) {
                guard let next = try connection.readFrame() else { throw POSIXError(.ECONNRESET) }
                block += next.payload
                frame = next
            }
            return block
        }

        private func enlargeWindows(for frame: Frame) throws {
            guard !frame.payload.isEmpty else { return }
            let count = UInt32(frame.payload.count)
            try connection.write(.windowUpdate(0, count), .windowUpdate(frame.stream, count))
        }

        private func respond(to request: LoopbackServer.Request, on stream: UInt32) {
            let isStarted: Void? = try? BlockingThread.start { [self] in
                defer { windows.close(stream) }
                do {
                    try send(try handler(request), to: request.method, on: stream)
                } catch {
                    try? connection.write(.resetStream(stream, .internalError))
                }
            }
            if isStarted == nil { try? connection.write(.resetStream(stream, .internalError)) }
        }

        private func send(_ answer: LoopbackServer.Answer, to method: HTTPMethod, on stream: UInt32) throws {
            let hasBody = method != .head && answer.mayHaveBody && (answer.stream != nil || !answer.body.isEmpty)
            try connection.write(head(of: answer, on: stream, endStream: !hasBody))
            guard hasBody else { return }
            if let write = answer.stream {
                try write(LoopbackServer.BodyWriter { [self] in try send($0, on: stream) })
            } else {
                try send(answer.body, on: stream)
            }
            try connection.write(.data("", on: stream))
        }

        /// Sends a part of a body as fast as the client's windows allow.
        private func send(_ data: Data, on stream: UInt32) throws {
            var rest = data[...]
            while !rest.isEmpty {
                let count = try windows.take(min(rest.count, Session.maximumPayload), on: stream)
                try connection.write(.data(rest.prefix(count), on: stream, endStream: false))
                rest = rest.dropFirst(count)
            }
        }

        private func head(of answer: LoopbackServer.Answer, on stream: UInt32, endStream: Bool) -> [Frame] {
            var block = HPACK.literal(":status", "\(answer.statusCode)")
            for field in answer.headerWithLength {
                block += HPACK.literal(field.name.rawValue.lowercased(), field.value)
            }
            let first = Array(block.prefix(Session.maximumPayload))
            block.removeFirst(first.count)
            var frames = [Frame.headers(block: first, on: stream, endStream: endStream, endHeaders: block.isEmpty)]
            while !block.isEmpty {
                let part = Array(block.prefix(Session.maximumPayload))
                block.removeFirst(part.count)
                frames.append(.continuation(block: part, on: stream, endHeaders: block.isEmpty))
            }
            return frames
        }
    }
}

extension HTTP2.Frame {
    /// Returns the payload of a DATA or HEADERS frame without padding and priority.
    fileprivate func content() throws -> [UInt8] {
        var content = payload[...]
        if flags.contains(.padded) {
            let count = Int(content.popFirst() ?? 0)
            guard count <= content.count else { throw HPACK.Malformed() }
            content = content.dropLast(count)
        }
        if kind == .headers, flags.contains(.priority) { content = content.dropFirst(5) }
        return Array(content)
    }

    /// Returns the 32-bit number at an offset in the payload.
    fileprivate func number(at offset: Int) -> UInt32 {
        payload.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns the last value of a setting. `nil` if the frame doesn't contain it.
    fileprivate func value(of setting: HTTP2.Setting) -> UInt32? {
        guard kind == .settings else { return nil }
        return stride(from: payload.count - 6, through: 0, by: -6)
            .first { UInt16(payload[$0]) << 8 | UInt16(payload[$0 + 1]) == setting.rawValue }
            .map { number(at: $0 + 2) }
    }
}

extension LoopbackServer.Request {
    /// Creates a request from HTTP/2 fields (RFC 9113 §8.3.1). `:authority` becomes `Host`.
    fileprivate init(_ fields: [HPACK.Decoder.Field], _ body: Data) {
        let pseudo = Dictionary(fields.filter { $0.name.hasPrefix(":") }) { first, _ in first }
        let host = pseudo[":authority"].map { [Field(name: .host, value: $0)] } ?? []
        let others = fields.filter { !$0.name.hasPrefix(":") }
            .map { Field(name: Field.Name($0.name), value: $0.value) }
        self.init(
            line: "\(pseudo[":method"] ?? "") \(pseudo[":path"] ?? "") HTTP/2",
            header: Header(host + others),
            body: body
        )
    }
}
