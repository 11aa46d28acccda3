import RequestsTesting

extension HTTP2 {
    /// A frame (RFC 9113 §4.1).
    public struct Frame: Hashable, Sendable {
        /// The type of the frame.
        public var kind: Kind
        /// The flags, whose meaning depends on the type.
        public var flags: Flags
        /// The number of the stream. 0 means the connection.
        public var stream: UInt32
        /// The bytes after the frame's header.
        public var payload: [UInt8]

        /// Creates a frame with any type and content, valid or not.
        public init(_ kind: Kind, flags: Flags = [], stream: UInt32 = 0, _ payload: [UInt8] = []) {
            (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
        }

        /// The encoded frame.
        public var bytes: [UInt8] {
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
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8

        /// Creates a type from its number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// DATA: a part of a body.
        public static let data = Kind(rawValue: 0)
        /// HEADERS: a head or trailers.
        public static let headers = Kind(rawValue: 1)
        /// PRIORITY: a deprecated hint.
        public static let priority = Kind(rawValue: 2)
        /// RST_STREAM: the end of a stream.
        public static let resetStream = Kind(rawValue: 3)
        /// SETTINGS: the parameters of the connection.
        public static let settings = Kind(rawValue: 4)
        /// PUSH_PROMISE: the announcement of a response that the client didn't request.
        public static let pushPromise = Kind(rawValue: 5)
        /// PING: a request for an acknowledgment, which tests the connection.
        public static let ping = Kind(rawValue: 6)
        /// GOAWAY: the end of the connection.
        public static let goAway = Kind(rawValue: 7)
        /// WINDOW_UPDATE: the number of additional bytes that the peer may send.
        public static let windowUpdate = Kind(rawValue: 8)
        /// CONTINUATION: a part of a field block.
        public static let continuation = Kind(rawValue: 9)
    }

    /// The flags of a frame. Their meaning depends on the type.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8

        /// Creates flags from a bit mask.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The frame is the last one of its stream in this direction (DATA, HEADERS).
        public static let endStream = Flags(rawValue: 0x1)
        /// The frame acknowledges another one (SETTINGS, PING).
        public static let acknowledgment = Flags(rawValue: 0x1)
        /// The frame ends a field block (HEADERS, PUSH_PROMISE, CONTINUATION).
        public static let endHeaders = Flags(rawValue: 0x4)
        /// The payload is padded (DATA, HEADERS, PUSH_PROMISE).
        public static let padded = Flags(rawValue: 0x8)
        /// The payload starts with a priority (HEADERS).
        public static let priority = Flags(rawValue: 0x20)
    }
}
