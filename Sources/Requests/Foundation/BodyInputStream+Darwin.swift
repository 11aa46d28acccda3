#if FullFoundation && canImport(Darwin)
import Foundation

/// The methods that `NSInputStream` leaves to its subclasses and that URLSession calls.
extension BodyInputStream {
    package override func property(forKey key: Stream.PropertyKey) -> Any? { nil }

    package override func setProperty(_ property: Any?, forKey key: Stream.PropertyKey) -> Bool { false }

    @objc(_scheduleInCFRunLoop:forMode:)
    func scheduleInRunLoop(_ runLoop: CFRunLoop, forMode mode: CFString) {}

    @objc(_unscheduleFromCFRunLoop:forMode:)
    func unscheduleFromRunLoop(_ runLoop: CFRunLoop, forMode mode: CFString) {}

    @objc(_setCFClientFlags:callback:context:)
    func setClientFlags(_ flags: CFOptionFlags, callback: UnsafeRawPointer?, context: UnsafeRawPointer?) -> Bool {
        false
    }
}
#endif
