/// A file or a range of it, with the length it had when the body was made.
package struct FileSlice: Hashable, Sendable {
    package let url: URL
    package let offset: Int64
    package let length: Int64
    /// Whether the slice is the whole file.
    package let isWhole: Bool

    /// - Parameter range: The bytes to send. `nil` for the whole file.
    /// - Throws: ``RequestError/Code/unreadableFile``.
    init(_ url: URL, range: Range<Int64>?) throws(RequestError) {
        guard url.isFileURL else { throw .unreadableFile(url, "its URL isn't a file URL. Use URL(filePath:)") }
        // The attributes of a symbolic link are the link's own.
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        guard let attributes, let size = (attributes[.size] as? UInt64).map(Int64.init) else {
            throw .unreadableFile(url, RequestError.fileIsMissing)
        }
        switch attributes[.type] as? FileAttributeType {
        case .typeRegular: break
        case .typeDirectory: throw .unreadableFile(url, RequestError.fileIsDirectory)
        default: throw .unreadableFile(url, "it isn't a regular file")
        }
        guard FileManager.default.isReadableFile(atPath: url.path) else {
            throw .unreadableFile(url, RequestError.fileIsProtected)
        }
        let range = range ?? 0..<size
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw .unreadableFile(url, "it has \(size) bytes, but the range is \(range)")
        }
        self.url = url
        self.offset = range.lowerBound
        self.length = range.upperBound - range.lowerBound
        self.isWhole = range == 0..<size
    }

    /// Throws if the file can no longer be read.
    func checkReadable() throws(RequestError) { _ = try FileSlice(url, range: nil) }

    /// - Throws: ``RequestError/Code/unreadableFile`` if the file is missing or has changed its size.
    func checkSize() throws(RequestError) {
        let size = try FileSlice(url, range: nil).length
        guard size == length else { throw .unreadableFile(url, "it had \(length) bytes and now has \(size)") }
    }
}

extension RequestError {
    static let fileIsMissing = "it doesn't exist, or its directory isn't readable"
    static let fileIsDirectory = "it is a directory"
    static let fileIsProtected = "reading it isn't permitted"

    package static func unreadableFile(_ url: URL, _ reason: String) -> RequestError {
        let path = url.isFileURL ? url.path : url.lastPathComponent
        // The end of a long path is more useful.
        let shown = path.unicodeScalars.count > 80 ? "…\(String(path.unicodeScalars.suffix(79)))" : path
        return RequestError(
            code: .unreadableFile,
            subject: url.lastPathComponent,
            message: "The file \(Redaction.quoted(shown)) can't be sent: \(reason)."
        )
    }
}
