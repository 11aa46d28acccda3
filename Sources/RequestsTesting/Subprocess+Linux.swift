#if os(Linux) && !canImport(Darwin)
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Subprocess {
    private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    static func spawn(
        _ arguments: [String],
        environment: [String],
        directory: String?,
        input: Int32,
        output: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Without this, the program would inherit the connections of this process.
        _ = try closeFrom(&actions, 3)
        if let directory { _ = try changeDirectory(&actions, directory) }
        var identifier: pid_t = 0
        let error = withCStrings(arguments) { arguments in
            withCStrings(environment) { environment in
                arguments[0].map { posix_spawn(&identifier, $0, &actions, nil, arguments, environment) } ?? ENOENT
            }
        }
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .ENOEXEC) }
        return identifier
    }

    // Swift's C library modules don't declare these two nonstandard functions.

    private static func closeFrom(_ actions: Actions, _ descriptor: Int32) throws -> Int32 {
        typealias Function = @convention(c) (Actions, Int32) -> Int32
        return try function("posix_spawn_file_actions_addclosefrom_np", as: Function.self)(actions, descriptor)
    }

    private static func changeDirectory(_ actions: Actions, _ path: String) throws -> Int32 {
        typealias Function = @convention(c) (Actions, UnsafePointer<CChar>) -> Int32
        return try function("posix_spawn_file_actions_addchdir_np", as: Function.self)(actions, path)
    }

    private static func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
        guard let address = dlsym(dlopen(nil, RTLD_NOW), name) else { throw POSIXError(.ENOSYS) }
        return unsafeBitCast(address, to: type)
    }
}
#endif
