#if os(Linux) && !canImport(Darwin)
import RequestsSystem

extension Subprocess {
    private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    static func spawn(
        _ arguments: [String],
        environment: [String],
        directory: String?,
        input: Int32,
        output: Int32
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Keeps the program from inheriting the connections of this process.
        _ = try unsafe closeFrom(&actions, 3)
        if let directory { _ = try unsafe changeDirectory(&actions, directory) }
        var identifier: pid_t = 0
        let error = unsafe withCStrings(arguments) { arguments in
            unsafe withCStrings(environment) { environment in
                guard let program = unsafe arguments[0] else { return ENOENT }
                return unsafe posix_spawn(&identifier, program, &actions, nil, arguments, environment)
            }
        }
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .ENOEXEC) }
        return identifier
    }

    // Swift's C library modules don't declare these two nonstandard functions.

    private static func closeFrom(_ actions: Actions, _ descriptor: Int32) throws -> Int32 {
        typealias Function = @convention(c) (Actions, Int32) -> Int32
        return try unsafe function("posix_spawn_file_actions_addclosefrom_np", as: Function.self)(actions, descriptor)
    }

    private static func changeDirectory(_ actions: Actions, _ path: String) throws -> Int32 {
        typealias Function = @convention(c) (Actions, UnsafePointer<CChar>) -> Int32
        return try unsafe function("posix_spawn_file_actions_addchdir_np", as: Function.self)(actions, path)
    }

    private static func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
        guard let address = unsafe dlsym(dlopen(nil, RTLD_NOW), name) else { throw POSIXError(.ENOSYS) }
        return unsafe unsafeBitCast(address, to: type)
    }
}
#endif
