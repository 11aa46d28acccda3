import Foundation

/// A file that is being received: beside the one it is to become, until all of it is there.
struct PartialFile {
    private let destination: URL
    private let file: URL
    /// Holds what the server calls the version that the file is a part of, and of what URL.
    private let versionFile: URL

    init(for destination: URL) {
        self.destination = destination
        let name = ".\(destination.lastPathComponent).partial"
        let directory = destination.deletingLastPathComponent()
        self.file = directory.appendingPathComponent(name)
        self.versionFile = directory.appendingPathComponent(name + "-version")
    }

    /// How much of a URL's file is there and of what version; `nil` where there is nothing to go on with.
    func start(of url: RequestURL) -> (count: Int64, validator: String)? {
        guard let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber,
            size.int64Value > 0, let version = try? String(contentsOf: versionFile, encoding: .utf8)
        else { return nil }
        let lines = version.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 2, !lines[0].isEmpty, ASCII.isFieldValue(lines[0]),
            lines[1] == PartialFile.digest(of: url)
        else { return nil }
        return (size.int64Value, lines[0])
    }

    /// Opens the file for what is still to come.
    ///
    /// - Parameters:
    ///   - isContinued: Whether that follows what is there; otherwise it is replaced.
    ///   - url: What it is a part of.
    ///   - validator: What the server calls this version; `nil` where it cannot be continued later.
    func open(isContinued: Bool, of url: RequestURL, validator: String?) throws -> FileHandle {
        if !isContinued {
            try Data().write(to: file)
            try? FileManager.default.removeItem(at: versionFile)
            if let validator { try Data("\(validator)\n\(PartialFile.digest(of: url))".utf8).write(to: versionFile) }
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
        try? FileManager.default.removeItem(at: versionFile)
    }

    func remove() {
        try? FileManager.default.removeItem(at: file)
        try? FileManager.default.removeItem(at: versionFile)
    }

    /// Tells URLs apart. They are not written down themselves: their queries may hold secrets.
    private static func digest(of url: RequestURL) -> String {
        Data(SHA2.sha256(Array(url.text.utf8))).base64EncodedString()
    }
}
