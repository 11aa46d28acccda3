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
    /// The type of a frame (RFC 9113 §6, RFC 7838 §4, RFC 8336 §2).
    package enum Kind: UInt8, Sendable {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
        case alternativeService
        case origin = 12
        case unknown = 0xBB
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
