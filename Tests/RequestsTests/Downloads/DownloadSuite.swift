import Foundation

/// A suite whose tests each have their own directory for downloads.
protocol DownloadSuite: AnyObject {
    var directory: URL { get }
}

extension DownloadSuite {
    static func makeDirectory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("requests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    func removeDirectory() {
        try? FileManager.default.removeItem(at: directory)
    }

    /// The destination of the download.
    var file: URL { directory.appendingPathComponent("file") }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    func content() throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
}
