import Foundation
import Requests

/// A cassette's file that cannot be read or written.
public struct CassetteError: Error, Sendable {
    /// What failed, on what, and what to do, in one line.
    public let message: String

    /// The error of the layer below.
    public let underlying: any Error
}

extension CassetteError: CustomStringConvertible, LocalizedError {
    /// What failed, on what, and what to do.
    public var description: String { message }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension HAR {
    init(contentsOf file: URL) throws(CassetteError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw CassetteError(message: "cannot read \(file.path()); record it first", underlying: error)
        }
        do {
            self = try JSONDecoder().decode(HAR.self, from: data)
        } catch {
            let place = (error as? DecodingError)?.place ?? "it is not JSON"
            throw CassetteError(message: "\(file.path()) is not an archive of HAR 1.2: \(place)", underlying: error)
        }
    }

    func write(to file: URL) throws(CassetteError) {
        let encoder = JSONEncoder()
        // For people who read the file, and for a small difference when it is recorded again.
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try encoder.encode(self).write(to: file, options: .atomic)
        } catch {
            throw CassetteError(
                message: "cannot write \(file.path()): \(error.localizedDescription)",
                underlying: error
            )
        }
    }
}

extension DecodingError {
    /// Where in the file the fault is.
    fileprivate var place: String? {
        switch self {
        case .keyNotFound(let key, let context): "\(DecodingError.path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(DecodingError.path(context.codingPath)) is of another type"
        default: nil
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
