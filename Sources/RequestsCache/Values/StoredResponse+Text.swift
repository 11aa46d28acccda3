import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A stored response as text: a line with numbers, the URL, the fields of the request, and the header.
///
/// One format for `Codable` and for files. A line starts with its kind, and no value contains a line break.
extension HTTPCache.StoredResponse {
    private static let version = "requests-cache-1"

    /// The text. ``init(text:)`` reads it.
    var text: String {
        let numbers: [any CustomStringConvertible] = [
            statusCode, httpVersion.map { "\($0.major).\($0.minor)" } ?? "-", isDecoded ? 1 : 0,
            requestTime.timeIntervalSince1970, responseTime.timeIntervalSince1970, firstByte, length,
            totalLength.map { "\($0)" } ?? "-",
        ]
        var lines = [([Self.version] + numbers.map(\.description)).joined(separator: " ")]
        lines.append(url)
        lines += varying.map { "v\($0.name)\($0.value.map { ":" + $0 } ?? "")" }
        lines += header.map { "h\($0.name):\($0.value)" }
        return lines.joined(separator: "\n")
    }

    /// Reads the text. Returns `nil` if it is damaged.
    init?(text: String) {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst(), let url = lines.popFirst() else { return nil }
        let parts = String(Substring(first)).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 9, parts[0] == Self.version, let status = Int(parts[1]), (100...999).contains(status),
            let requestTime = Double(parts[4]), let responseTime = Double(parts[5]), let first = Int64(parts[6]),
            let length = Int64(parts[7]), first >= 0, length >= 0, !first.addingReportingOverflow(length).overflow,
            abs(requestTime) < 1e12, abs(responseTime) < 1e12
        else { return nil }
        statusCode = status
        let version = parts[2].split(separator: ".").compactMap { Int($0) }
        httpVersion = version.count == 2 ? HTTPVersion(major: version[0], minor: version[1]) : nil
        isDecoded = parts[3] == "1"
        self.requestTime = Date(timeIntervalSince1970: requestTime)
        self.responseTime = Date(timeIntervalSince1970: responseTime)
        (firstByte, self.length, totalLength) = (first, length, Int64(parts[8]))
        self.url = String(Substring(url))
        varying = []
        var fields: [Field] = []
        for line in lines {
            let name = line.dropFirst().prefix { $0 != UInt8(ascii: ":") }
            let rest = line[name.endIndex...].dropFirst()
            let value = name.endIndex == line.endIndex ? nil : String(Substring(rest))
            switch (line.first, value) {
            case (UInt8(ascii: "v"), _):
                varying.append(VaryingField(name: Field.Name(String(Substring(name))), value: value))
            case (UInt8(ascii: "h"), let value?):
                fields.append(Field(name: Field.Name(token: String(Substring(name))), trimmedValue: value))
            default: return nil
            }
        }
        header = Header(fields)
        facts = Facts(header, self.responseTime)
    }
}

extension HTTPCache.StoredResponse: Codable {
    /// Decodes a stored response from its text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let response = Self(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The stored response is damaged.")
        }
        self = response
    }

    /// Encodes a stored response as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
