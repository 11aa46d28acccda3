import RequestsTesting

extension HTTP2 {
    /// A frame (RFC 9113 §4.1).
    package struct Frame: Hashable, Sendable {
        /// The type of the frame.
        package var kind: Kind
        /// The flags, whose meaning depends on the type.
        package var flags: Flags
        /// The number of the stream. 0 means the connection.
        package var stream: UInt32
        /// The bytes after the frame's header.
        package var payload: [UInt8]

        /// Creates a frame with any type and content, valid or not.
        package init(_ kind: Kind, flags: Flags = [], stream: UInt32 = 0, _ payload: [UInt8] = []) {
            (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
        }

        /// The encoded frame.
        package var bytes: [UInt8] {
            Frame.bytes(UInt32(payload.count)).dropFirst() + [kind.rawValue, flags.rawValue] + Frame.bytes(stream)
                + payload
        }

        /// Returns a number in network byte order.
        static func bytes(_ number: UInt32) -> [UInt8] {
            unsafe withUnsafeBytes(of: number.bigEndian, Array.init)
        }
    }
}

extension HTTP2.Frame {
    /// The type of a frame (RFC 9113 §6).
    package struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        package let rawValue: UInt8

        /// Creates a type from its number.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// DATA: a part of a body.
        package static let data = Kind(rawValue: 0)
        /// HEADERS: a head or trailers.
        package static let headers = Kind(rawValue: 1)
        /// PRIORITY: a deprecated hint.
        package static let priority = Kind(rawValue: 2)
        /// RST_STREAM: the end of a stream.
        package static let resetStream = Kind(rawValue: 3)
        /// SETTINGS: the parameters of the connection.
        package static let settings = Kind(rawValue: 4)
        /// PUSH_PROMISE: the announcement of a response that the client didn't request.
        package static let pushPromise = Kind(rawValue: 5)
        /// PING: a request for an acknowledgment, which tests the connection.
        package static let ping = Kind(rawValue: 6)
        /// GOAWAY: the end of the connection.
        package static let goAway = Kind(rawValue: 7)
        /// WINDOW_UPDATE: the number of additional bytes that the peer may send.
        package static let windowUpdate = Kind(rawValue: 8)
        /// CONTINUATION: a part of a field block.
        package static let continuation = Kind(rawValue: 9)
    }

    /// The flags of a frame. Their meaning depends on the type.
    package struct Flags: OptionSet, Hashable, Sendable {
        /// The number on the wire.
        package let rawValue: UInt8

        /// Creates flags from a bit mask.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The frame is the last one of its stream in this direction (DATA, HEADERS).
        package static let endStream = Flags(rawValue: 0x1)
        /// The frame acknowledges another one (SETTINGS, PING).
        package static let acknowledgment = Flags(rawValue: 0x1)
        /// The frame ends a field block (HEADERS, PUSH_PROMISE, CONTINUATION).
        package static let endHeaders = Flags(rawValue: 0x4)
        /// The payload is padded (DATA, HEADERS, PUSH_PROMISE).
        package static let padded = Flags(rawValue: 0x8)
        /// The payload starts with a priority (HEADERS).
        package static let priority = Flags(rawValue: 0x20)
    }
}
