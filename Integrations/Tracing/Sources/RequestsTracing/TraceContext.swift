import Requests

/// The position of a request in a distributed trace, sent in the header fields `traceparent` and `tracestate`.
///
/// ```swift
/// var generator = SystemRandomNumberGenerator()
/// let context = TraceContext(head.header)?.child(using: &generator) ?? .root(using: &generator)
/// request.header.set(context)
/// ```
///
/// Specification: W3C Trace Context, level 1.
public struct TraceContext: Hashable, Sendable {
    /// The identifier of the trace: 32 lowercase hexadecimal digits, not all zero.
    public let traceID: String

    /// The identifier of the sender's span (`parent-id` in the specification): 16 lowercase hexadecimal digits, not all
    /// zero.
    public let spanID: String

    /// Whether the sender recorded the trace.
    public var isSampled: Bool

    /// The `key=value` entries of `tracestate`, most recent first. At most 32.
    public private(set) var state: [String] = []

    /// Creates a context.
    ///
    /// - Returns: The context. `nil` if an identifier is invalid.
    public init?(traceID: String, spanID: String, isSampled: Bool = true) {
        guard TraceContext.isIdentifier(traceID, digits: 32), TraceContext.isIdentifier(spanID, digits: 16) else {
            return nil
        }
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Creates the context of a received message from its header.
    ///
    /// An invalid `tracestate` is ignored.
    ///
    /// - Returns: The context. `nil` unless the header has exactly one `traceparent`, which is valid.
    public init?(_ header: Header) {
        let parents = header[values: .traceParent]
        guard parents.count == 1 else { return nil }
        let parts = parents[0].split(separator: "-", omittingEmptySubsequences: false).map { String($0) }
        // Later versions may append parts.
        guard parts.count == 4 || parts.count > 4 && parts[0] != "00", TraceContext.isHexadecimal(parts[0], digits: 2),
            parts[0] != "ff", TraceContext.isHexadecimal(parts[3], digits: 2), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(traceID: parts[1], spanID: parts[2], isSampled: flags & 1 == 1)
        state = TraceContext.entries(header[values: .traceState]) ?? []
    }

    /// Returns the context of the first span in a new trace.
    public static func root(
        isSampled: Bool = true,
        using generator: inout some RandomNumberGenerator
    ) -> TraceContext {
        TraceContext(
            traceID: identifier(using: &generator) + identifier(using: &generator),
            spanID: identifier(using: &generator),
            isSampled: isSampled,
            state: []
        )
    }

    private init(traceID: String, spanID: String, isSampled: Bool, state: [String]) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// Returns the context of a new span in the same trace.
    public func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
        TraceContext(
            traceID: traceID,
            spanID: TraceContext.identifier(using: &generator),
            isSampled: isSampled,
            state: state
        )
    }

    /// Sets the `tracestate` entry of a tracing system, which becomes the first. If there are over 32, the last is
    /// removed.
    ///
    /// - Throws: ``RequestError/Code/invalidFieldValue`` if the key or the value isn't valid in `tracestate`.
    public mutating func setState(_ value: String, for key: String) throws(RequestError) {
        guard TraceContext.isKey(key), TraceContext.isValue(value) else {
            throw RequestError(
                code: .invalidFieldValue,
                subject: Field.Name.traceState.rawValue,
                message:
                    "\(key.debugDescription) or its value isn't valid in tracestate. Use lowercase letters, digits "
                    + "and _-*/@ in a key, and printable ASCII without , and = in a value."
            )
        }
        state = Array((["\(key)=\(value)"] + state.filter { !$0.hasPrefix(key + "=") }).prefix(32))
    }

    /// The fields `traceparent` and, if there are entries, `tracestate`.
    public var fields: [Field] {
        let parent = Field(name: .traceParent, value: "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")")
        return state.isEmpty ? [parent] : [parent, Field(name: .traceState, value: state.joined(separator: ","))]
    }
}

extension TraceContext {
    private static func identifier(using generator: inout some RandomNumberGenerator) -> String {
        let digits = String(UInt64.random(in: 1...UInt64.max, using: &generator), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func isIdentifier(_ text: String, digits: Int) -> Bool {
        isHexadecimal(text, digits: digits) && text.utf8.contains { $0 != UInt8(ascii: "0") }
    }

    private static func isHexadecimal(_ text: String, digits: Int) -> Bool {
        text.utf8.count == digits
            && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// Returns the entries of `tracestate`, or `nil` if one is invalid, a key repeats, or there are over 32.
    private static func entries(_ values: [String]) -> [String]? {
        var entries: [String] = []
        var keys: Set<Substring> = []
        for part in values.joined(separator: ",").split(separator: ",") {
            let entry = part.trimming { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            if entry.isEmpty { continue }
            guard let equals = entry.firstIndex(of: "="), isKey(entry[..<equals]),
                isValue(entry[entry.index(after: equals)...]), keys.insert(entry[..<equals]).inserted
            else { return nil }
            entries.append(String(entry))
        }
        return entries.count <= 32 ? entries : nil
    }

    private static let keyBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789_-*/@".utf8)

    private static func isKey(_ key: some StringProtocol) -> Bool {
        guard let first = key.utf8.first, key.utf8.count <= 256 else { return false }
        return key.utf8.allSatisfy(keyBytes.contains)
            && (first >= UInt8(ascii: "a") || "0123456789".utf8.contains(first))
    }

    private static func isValue(_ value: some StringProtocol) -> Bool {
        let isPrintable = value.utf8.allSatisfy { byte in
            (0x20...0x7E).contains(byte) && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "=")
        }
        return isPrintable && !value.isEmpty && value.utf8.count <= 256 && !value.hasSuffix(" ")
    }
}

extension Header {
    /// Sets the trace context of the header, which replaces an earlier one.
    public mutating func set(_ context: TraceContext) {
        remove(.traceParent)
        remove(.traceState)
        for field in context.fields { add(field) }
    }
}

extension Field.Name {
    /// `traceparent` (W3C Trace Context §3.2).
    public static let traceParent: Field.Name = "traceparent"
    /// `tracestate` (W3C Trace Context §3.3).
    public static let traceState: Field.Name = "tracestate"
}

extension Substring {
    fileprivate func trimming(while isUnwanted: (UInt8) -> Bool) -> Substring {
        let start = utf8.firstIndex { !isUnwanted($0) } ?? endIndex
        let end = utf8.lastIndex { !isUnwanted($0) }.map(utf8.index(after:)) ?? start
        return self[start..<end]
    }
}
