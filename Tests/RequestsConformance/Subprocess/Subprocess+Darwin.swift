#if canImport(Darwin) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
import RequestsSystem

extension Subprocess {
    static func spawn(
        _ arguments: [String],
        environment: [String],
        directory: String?,
        input: Int32,
        output: Int32
    ) throws -> pid_t {
        var actions: posix_spawn_file_actions_t?
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        if let directory { unsafe posix_spawn_file_actions_addchdir_np(&actions, directory) }
        var attributes: posix_spawnattr_t?
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Keeps the program from inheriting the connections of this process.
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
        var identifier: pid_t = 0
        let error = unsafe withCStrings(arguments) { arguments in
            unsafe withCStrings(environment) { environment in
                guard let program = unsafe arguments[0] else { return ENOENT }
                return unsafe posix_spawn(&identifier, program, &actions, &attributes, arguments, environment)
            }
        }
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .ENOEXEC) }
        return identifier
    }
}
#endif
