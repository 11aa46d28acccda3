import Foundation

/// A file that is being received: beside the one it is to become, until all of it is there.
struct PartialFile {
    private let destination: URL
    private let file: URL
    /// Holds what the server calls the version that the file is a part of.
    private let validatorFile: URL

    init(for destination: URL) {
        self.destination = destination
        let name = ".\(destination.lastPathComponent).partial"
        let directory = destination.deletingLastPathComponent()
        self.file = directory.appendingPathComponent(name)
        self.validatorFile = directory.appendingPathComponent(name + "-version")
    }

    /// How much is there and what it is a part of; `nil` where there is nothing to go on with.
    var start: (count: Int64, validator: String)? {
        guard let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber,
            size.int64Value > 0, let validator = try? String(contentsOf: validatorFile, encoding: .utf8),
            !validator.isEmpty, ASCII.isFieldValue(validator)
        else { return nil }
        return (size.int64Value, validator)
    }

    /// Opens the file for what is still to come.
    ///
    /// - Parameters:
    ///   - isContinued: Whether that follows what is there; otherwise it is replaced.
    ///   - validator: What the server calls this version; `nil` where it cannot be continued later.
    func open(isContinued: Bool, validator: String?) throws -> FileHandle {
        if !isContinued {
            try Data().write(to: file)
            try? FileManager.default.removeItem(at: validatorFile)
            if let validator { try Data(validator.utf8).write(to: validatorFile) }
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        return handle
    }

    /// Puts the file in its place, in one step.
    func finish() throws {
        guard rename(file.path, destination.path) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: destination.path])
        }
        try? FileManager.default.removeItem(at: validatorFile)
    }

    func remove() {
        try? FileManager.default.removeItem(at: file)
        try? FileManager.default.removeItem(at: validatorFile)
    }
}
