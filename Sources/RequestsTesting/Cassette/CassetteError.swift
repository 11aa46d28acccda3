import Requests
import RequestsSystem

/// An error of reading, writing or using a cassette's file.
public struct CassetteError: Error, Sendable {
    /// The description of the error, in one line without secrets.
    public let message: String

    /// The underlying error, if there is one.
    public let underlying: (any Error)?

    init(message: String, underlying: (any Error)? = nil) {
        self.message = message
        self.underlying = underlying
    }
}

extension CassetteError: RedactedError {
    /// The message.
    public var description: String { message }
}

extension CassetteError {
    static func expired(_ entry: HAR.Entry, in file: URL, after age: Duration) -> CassetteError {
        let date = entry.startedDateTime.isEmpty ? "without a date" : "on \(entry.startedDateTime)"
        return CassetteError(
            message: "\(file.lastPathComponent): \(entry.request.summary) was recorded \(Redaction.escaped(date)), "
                + "more than \(age) ago; record it again"
        )
    }
}

extension HAR {
    init(contentsOf file: URL) throws(CassetteError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            let reason = error.systemMessage ?? "\(type(of: error))"
            let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
            throw CassetteError(
                message: "can't read \(file.path()): \(reason)"
                    + (isMissing ? "; record the cassette first, with the environment REQUESTS_CASSETTES=record" : ""),
                underlying: error
            )
        }
        do {
            self = try JSONDecoder().decodeLimited(HAR.self, from: data).withoutForeignEntries
        } catch {
            let place = (error as? DecodingError)?.place ?? "it isn't JSON"
            let message = "\(file.path()) isn't a HAR 1.2 archive: \(place); record it again"
            throw CassetteError(message: message, underlying: error)
        }
    }

    func write(to file: URL) throws(CassetteError) {
        let encoder = JSONEncoder()
        // Makes the file readable, and its diff small when it is recorded again.
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try encoder.encode(self).write(to: file, options: .atomic)
        } catch {
            throw CassetteError(
                message: "can't write \(file.path()): \(error.systemMessage ?? "\(type(of: error))"); check the folder",
                underlying: error
            )
        }
    }
}

extension DecodingError {
    /// The path of the invalid value with the reason, or `nil` if it isn't known.
    fileprivate var place: String? {
        switch self {
        case .keyNotFound(let key, let context): "\(DecodingError.path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(DecodingError.path(context.codingPath)) has the wrong type"
        default: nil
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
