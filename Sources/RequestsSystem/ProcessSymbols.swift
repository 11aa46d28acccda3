/// Looks up functions in the libraries that the process has loaded.
package enum ProcessSymbols {
    private nonisolated(unsafe) static let program = unsafe dlopen(nil, RTLD_NOW)

    /// The error for a function that no loaded library has.
    package struct Missing: Error {
        package init() {}
    }

    package static func find<Function>(
        _ name: String,
        as type: Function.Type = Function.self
    ) throws(Missing) -> Function {
        guard let program = unsafe program, let symbol = unsafe dlsym(program, name) else { throw Missing() }
        return unsafe unsafeBitCast(symbol, to: type)
    }
}
