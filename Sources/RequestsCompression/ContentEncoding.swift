import Requests
import RequestsClient

/// A content encoding.
package struct ContentEncoding: Hashable, Sendable {
    /// The name in `Accept-Encoding`.
    package let name: String

    package init(_ name: String) { self.name = name }

    /// The encodings that the libraries in this process can decode, in order of preference.
    package static let available = ["gzip", "deflate", "br", "zstd"].map { ContentEncoding($0) }
        .filter { (try? $0.makeDecoder()) != nil }

    /// The maximum number of encodings of one body. More can only be an attack.
    package static let maximumCount = 5

    package func makeDecoder() throws(TransportError) -> any ContentDecoder {
        do throws(DecodingFault) {
            switch name {
            case "gzip": return try Inflater(.gzip)
            case "deflate": return try Inflater(.deflate)
            case "br": return try BrotliDecoder()
            default: return try ZstdDecoder()
            }
        } catch {
            if error.kind == .outOfMemory {
                let message = "out of memory creating a decoder of \(name); retry later"
                throw TransportError(code: .outOfMemory, message: message, phase: .preparing)
            }
            throw .unsupported("can't decode \(name): \(error.reason)")
        }
    }

    /// Returns the encodings of a body in the order of decoding. Empty if the body must stay encoded.
    ///
    /// - Throws: `TransportError.Code.decoding` if the body has more than ``maximumCount``.
    package static func applied(
        to head: ResponseHead,
        of request: PreparedRequest,
        accepting accepted: [ContentEncoding]
    ) throws(TransportError) -> [ContentEncoding] {
        // A request with its own `Accept-Encoding` gets the encoded body.
        guard !accepted.isEmpty, !request.header.contains(.acceptEncoding), let field = head.header[.contentEncoding]
        else { return [] }
        // A part of an encoded body can't be decoded.
        guard head.expectedBytes(to: request.method) != 0, !head.status.isRedirection,
            case .whole = head.part(of: RepresentationPart.Target(of: request), to: request.method)
        else { return [] }
        let applied = all(in: field)
        guard applied.allSatisfy(accepted.contains) else { return [] }
        guard applied.count <= maximumCount else {
            let reason = "the body has \(applied.count) content encodings; at most \(maximumCount) are decoded"
            throw TransportError(.decoding, of: request, reason, phase: .receiving)
        }
        return applied.reversed()
    }

    /// Returns the encodings in the values of `Content-Encoding`, in the order in which they were applied.
    private static func all(in field: String) -> [ContentEncoding] {
        field.split(separator: ",").map { $0.trimmingFieldWhitespace().lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
            .map { ContentEncoding($0 == "x-gzip" ? "gzip" : $0) }
    }

    /// Returns a body without the encodings that its header names. `nil` if it can't be decoded.
    package static func decoded(_ data: Data, _ header: Header, upTo maximumBytes: Int) -> Data? {
        let applied = all(in: header[.contentEncoding] ?? "")
        guard applied.count <= maximumCount, applied.allSatisfy(available.contains) else { return nil }
        return decode(data, applied.reversed(), upTo: Int64(maximumBytes))
    }

    /// Returns the decoded bytes. `nil` if they are too many, or if they aren't valid, which a reader must find out.
    fileprivate static func decode(_ encoded: Data, _ codings: [ContentEncoding], upTo maximum: Int64) -> Data? {
        var data = encoded
        for coding in codings {
            guard let decoder = try? coding.makeDecoder() else { return nil }
            var stage = DecodingStage(coding.name, decoder)
            stage.append(data)
            data = Data()
            do {
                while let piece = try stage.decode() {
                    guard stage.decoded <= maximum else { return nil }
                    data.append(piece)
                }
                try stage.finish()
            } catch {
                return nil
            }
        }
        return data
    }

    /// Up to these sizes, a body is decoded as a whole, which costs less than decoding it as it is read.
    fileprivate static let maximumWholeBytes = (encoded: 16 << 10, decoded: Int64(64 << 10))
}

extension Response<ResponseBody> {
    /// Returns the response with its content encodings decoded, and without the fields that describe the encoded body.
    ///
    /// - Parameter whole: The body and its trailers, if they are in memory.
    package func decoded(
        for request: PreparedRequest,
        accepting accepted: [ContentEncoding] = ContentEncoding.available,
        _ limits: DecodedSource.Limits = DecodedSource.Limits(),
        whole: (body: Data, trailers: Header?)? = nil
    ) throws(TransportError) -> Response {
        let codings = try ContentEncoding.applied(to: head, of: request, accepting: accepted)
        guard !codings.isEmpty else { return self }
        var decoded = self
        let maximum = ContentEncoding.maximumWholeBytes
        if let whole, whole.body.count <= maximum.encoded,
            let data = ContentEncoding.decode(whole.body, codings, upTo: min(limits.bytes ?? .max, maximum.decoded))
        {
            decoded.content = ResponseBody(
                source: DataSource(
                    data,
                    from: request.url,
                    isDecoded: true,
                    trailers: whole.trailers,
                    metrics: boxedMetrics
                )
            )
        } else {
            decoded.content = ResponseBody(source: try DecodedSource(content.source, codings, limits, for: request))
        }
        for name in [Field.Name.contentEncoding, .contentLength] { decoded.head.header.remove(name) }
        return decoded
    }
}
