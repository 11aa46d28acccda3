// The streams of Apple's Foundation. They aren't in Foundation.swiftinterface, because the compiler crashes on
// Objective-C methods in a module interface. The compiler skips the bodies here.

import CoreFoundation
import FoundationEssentials
import ObjectiveC

open class RunLoop: NSObject {
    public struct Mode: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(_ rawValue: String) {}
        public init(rawValue: String) {}
    }
}
@available(*, unavailable) extension RunLoop: Sendable {}

public protocol StreamDelegate: NSObjectProtocol {}

@objc open class Stream: NSObject {
    public struct PropertyKey: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(_ rawValue: String) {}
        public init(rawValue: String) {}
        public static let fileCurrentOffsetKey = PropertyKey("")
    }

    public enum Status: UInt, @unchecked Sendable {
        case notOpen
        case opening
        case open
        case reading
        case writing
        case atEnd
        case closed
        case error
    }

    open func open() {}
    open func close() {}
    unowned(unsafe) open var delegate: (any StreamDelegate)?
    @objc dynamic open func property(forKey key: PropertyKey) -> Any? {}
    @objc dynamic open func setProperty(_ property: Any?, forKey key: PropertyKey) -> Bool {}
    open func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    open func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    open var streamStatus: Status { get {} }
    open var streamError: (any Error)? { get {} }
}
@available(*, unavailable) extension Stream: Sendable {}

// In Objective-C, keys are strings.
extension Stream.PropertyKey: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString {}
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Stream.PropertyKey?) {}
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString,
        result: inout Stream.PropertyKey?
    ) -> Bool {}
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Stream.PropertyKey {}
}

@objc open class InputStream: Stream {
    open func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {}
    open func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {}
    open var hasBytesAvailable: Bool { get {} }
    public init(data: Data) {}
    public init?(url: URL) {}
    public convenience init?(fileAtPath path: String) {}
}
