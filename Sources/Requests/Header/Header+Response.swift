/// What is checked in the header of a response, whatever the transport.
extension Header {
    /// Larger heads than these are refused: nobody sends them, and each costs memory before the caller can say no.
    package static let maximumSize = 300 << 10
    package static let maximumFields = 5000
    package static let tooLarge = "the response's head is larger than \(maximumSize) bytes or \(maximumFields) fields"

    /// Whether a transport may give it away.
    var isWithinLimits: Bool {
        count <= Header.maximumFields
            && reduce(0) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count } <= Header.maximumSize
    }

    /// What makes the end of a body doubtful: a transfer coding that was not asked for, lengths that differ, or that are
    /// no number of bytes.
    ///
    /// With chunks the length does not count (RFC 9112 §6.3).
    package var lengthFault: String? {
        switch transferCoding {
        case .none: faultOfLengths
        case .chunked: nil
        case .other(let list): "the response has transfer codings nobody asked for: \(Redaction.quoted(list))"
        }
    }

    /// Whether chunks tell where a body ends.
    package var isChunked: Bool { if case .chunked = transferCoding { true } else { false } }

    /// Whether the connection ends with the message (RFC 9112 §9.6).
    package var closesConnection: Bool { lists("close", in: "Connection") }

    /// Whether trailers are wanted in the response (RFC 9110 §10.1.4).
    package var asksForTrailers: Bool { lists("trailers", in: "TE") }

    private func lists(_ token: String, in name: Field.Name) -> Bool {
        guard let list = self[name] else { return false }
        return ASCII.lowercased(list).split { $0 == "," || $0 == " " || $0 == "\t" }.contains { $0 == token }
    }

    private enum TransferCoding {
        case none, chunked
        case other(String)
    }

    private var transferCoding: TransferCoding {
        guard let list = self[.transferEncoding] else { return .none }
        if list == "chunked" { return .chunked }
        return switch ASCII.lowercased(list).split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
        case ["chunked"]: .chunked
        // RFC 2616 had it, and it changes nothing.
        case ["identity"]: .none
        default: .other(list)
        }
    }

    private var faultOfLengths: String? {
        guard let joined = self[.contentLength] else { return nil }
        // What nearly every length is: fewer digits than any number of bytes has.
        if (1...18).contains(joined.utf8.count), joined.utf8.allSatisfy(\.isDigit) { return nil }
        let lengths = joined.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
        guard let first = lengths.first, lengths.allSatisfy({ $0 == first }) else {
            return "the response has lengths that differ: \(Redaction.quoted(joined))"
        }
        guard first.utf8.allSatisfy(\.isDigit), Int64(first) != nil else {
            return "the response's length \(Redaction.quoted(String(first))) is not a number of bytes"
        }
        return nil
    }
}
