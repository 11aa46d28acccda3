import Foundation

/// A file, or a part of it, as it was when it was named: how long it is, and whether it can be read.
struct FileSlice: Hashable, Sendable {
    let url: URL
    let offset: Int64
    let length: Int64
    /// Whether it was all of the file.
    let isWhole: Bool

    /// - Parameter range: The bytes to take; `nil` for all.
    /// - Throws: ``RequestError/Code/unreadableFile``.
    init(_ url: URL, range: Range<Int64>?) throws(RequestError) {
        guard url.isFileURL else { throw .unreadableFile(url, "its URL is no file URL; use URL(filePath:)") }
        // The attributes of a symbolic link are its own, and not those of what is read.
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        guard let attributes, let size = (attributes[.size] as? NSNumber)?.int64Value else {
            throw .unreadableFile(url, "there is no such file, or its directory may not be read")
        }
        switch attributes[.type] as? FileAttributeType {
        case .typeRegular: break
        case .typeDirectory: throw .unreadableFile(url, "it is a directory")
        default: throw .unreadableFile(url, "it is not a regular file")
        }
        guard FileManager.default.isReadableFile(atPath: url.path) else {
            throw .unreadableFile(url, "it may not be read")
        }
        let range = range ?? 0..<size
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw .unreadableFile(url, "it has \(size) bytes, and not those of \(range)")
        }
        self.url = url
        self.offset = range.lowerBound
        self.length = range.upperBound - range.lowerBound
        self.isWhole = range == 0..<size
    }

    /// - Throws: ``RequestError/Code/unreadableFile`` for a file that is gone, or has another size by now.
    func checkSize() throws(RequestError) {
        let size = try FileSlice(url, range: nil).length
        guard size == length else { throw .unreadableFile(url, "it had \(length) bytes, and has \(size) now") }
    }
}

extension RequestError {
    fileprivate static func unreadableFile(_ url: URL, _ reason: String) -> RequestError {
        let path = url.isFileURL ? url.path : url.lastPathComponent
        // The end of a long path tells more.
        let shown = path.unicodeScalars.count > 80 ? "…\(String(path.unicodeScalars.suffix(79)))" : path
        return RequestError(
            code: .unreadableFile,
            culprit: url.lastPathComponent,
            message: "the file \(Redaction.quoted(shown)) cannot be sent: \(reason)"
        )
    }
}
