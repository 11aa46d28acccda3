import CZlib

/// zlib's functions.
@safe struct Zlib: Sendable {
    typealias Stream = UnsafeMutablePointer<zlib_stream>
    typealias StartDeflating =
        @convention(c) (Stream?, Int32, Int32, Int32, Int32, Int32, UnsafePointer<CChar>?, Int32) -> Int32
    typealias StartInflating = @convention(c) (Stream?, Int32, UnsafePointer<CChar>?, Int32) -> Int32
    typealias Step = @convention(c) (Stream?, _ flush: Int32) -> Int32
    typealias End = @convention(c) (Stream?) -> Int32

    enum Code {
        static let ok: Int32 = 0
        static let streamEnd: Int32 = 1
        static let outOfMemory: Int32 = -4
        /// No failure: zlib had nothing to do.
        static let nothingToDo: Int32 = -5

        static func isFailure(_ code: Int32) -> Bool { ![ok, streamEnd, nothingToDo].contains(code) }
    }

    enum Flush {
        static let none: Int32 = 0
        static let finish: Int32 = 4
    }

    let startDeflating: StartDeflating
    let deflate: Step
    let endDeflating: End
    let startInflating: StartInflating
    let inflate: Step
    let endInflating: End

    /// The library. `nil` if it isn't installed.
    static let shared = load()

    static let missing = "zlib isn't installed (libz.so.1, in Debian's package zlib1g)"

    /// zlib compares only the first character of a version.
    private static let version = "1"
    private static let structureSize = unsafe Int32(MemoryLayout<zlib_stream>.size)

    func startDeflating(_ stream: Stream, level: Int32, windowBits: Int32) -> Int32 {
        // 8 is the only method, and the default memory level.
        unsafe startDeflating(stream, level, 8, windowBits, 8, 0, Zlib.version, Zlib.structureSize)
    }

    func startInflating(_ stream: Stream, windowBits: Int32) -> Int32 {
        unsafe startInflating(stream, windowBits, Zlib.version, Zlib.structureSize)
    }
}
