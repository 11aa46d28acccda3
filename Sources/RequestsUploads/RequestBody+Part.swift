import Requests
import RequestsSystem

extension RequestBody {
    /// The number of bytes, if any part of the body can be sent. Trailers may belong to the whole body.
    var divisibleLength: Int64? { trailers == nil && isDivisible ? length : nil }

    private var isDivisible: Bool {
        switch source {
        case .data, .file: true
        case .joined(let bodies): bodies.allSatisfy(\.isDivisible)
        case .none, .stream, .sequence, .invalid: false
        }
    }

    /// Returns a part of a body that has a ``divisibleLength``.
    func part(_ range: Range<Int64>) -> RequestBody {
        switch source {
        case .data(let data):
            return .data(data.part(range))
        case .file(let file):
            return .file(file.url, range: file.offset + range.lowerBound..<file.offset + range.upperBound)
        case .joined(let bodies):
            var start: Int64 = 0
            var parts: [RequestBody] = []
            for body in bodies {
                let end = start + (body.length ?? 0)
                let own = range.clamped(to: start..<end)
                if !own.isEmpty { parts.append(body.part(own.lowerBound - start..<own.upperBound - start)) }
                start = end
            }
            return .joined(parts)
        case .none, .stream, .sequence, .invalid: return self
        }
    }

    /// Identifies the content for a later program. `nil` for a body whose bytes it can't have: a stream, or a multipart
    /// body, whose boundary differs in each program.
    var fingerprint: String? {
        guard trailers == nil else { return nil }
        if case .data(let data) = source { return Data(SHA2.sha256(data)).base64EncodedString() }
        if case .file = source { return stamp }
        return nil
    }

    /// The sizes and modification dates of the body's files. `nil` without files.
    var stamp: String? {
        switch source {
        case .file(let file):
            let status = FileStatus(file.url.resolvingSymlinksInPath().path)
            return "\(file.offset), \(status?.length ?? -1), \(status?.modified.timeIntervalSince1970 ?? -1)"
        case .joined(let bodies): return bodies.compactMap(\.stamp).joined(separator: "; ")
        case .none, .data, .stream, .sequence, .invalid: return nil
        }
    }
}
