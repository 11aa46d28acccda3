import Foundation

extension LoopDriver {
    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The driver that runs on this thread.
    static var current: LoopDriver? {
        get {
            pthread_getspecific(currentKey).map { Unmanaged<LoopDriver>.fromOpaque($0).takeUnretainedValue() }
        }
        set {
            pthread_setspecific(currentKey, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
        }
    }
}
