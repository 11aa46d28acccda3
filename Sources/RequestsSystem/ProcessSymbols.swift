/// Looks up functions in the libraries that the process has loaded, or in one that it loads.
package enum ProcessSymbols {
    /// A loaded library, which stays loaded.
    @safe package struct Library: @unchecked Sendable {
        fileprivate let handle: UnsafeMutableRawPointer?

        /// - Parameter name: The name of the file. `nil` for everything that is loaded already.
        package init(_ name: String?) { unsafe handle = dlopen(name, RTLD_NOW) }
    }

    package static let program = Library(nil)

    /// The error for a function that no loaded library has.
    package struct Missing: Error {
        package init() {}
    }

    package static func find<Function>(
        _ name: String,
        in library: Library = program,
        as type: Function.Type = Function.self
    ) throws(Missing) -> Function {
        guard let handle = unsafe library.handle, let symbol = unsafe dlsym(handle, name) else { throw Missing() }
        return unsafe unsafeBitCast(symbol, to: type)
    }
}
