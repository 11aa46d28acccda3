import Foundation

extension LoopDriver {
    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// The driver that runs on this thread.
    static var current: LoopDriver? {
        get {
            guard let driver = unsafe pthread_getspecific(currentKey) else { return nil }
            return unsafe Unmanaged<LoopDriver>.fromOpaque(driver).takeUnretainedValue()
        }
        set {
            let driver = unsafe newValue.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
            unsafe pthread_setspecific(currentKey, driver)
        }
    }
}
