import Foundation
import Requests

/// Signs the chunks of a body, each with the signature of the one before it.
///
/// Specification: Amazon S3 API, "Signature Calculations: Transferring Payload in Multiple Chunks".
struct AWSChunkSigner: Sendable {
    private let scope: AWSScope
    private let key: [UInt8]
    private(set) var signature: String

    init(scope: AWSScope, key: [UInt8], signature: String) {
        self.scope = scope
        self.key = key
        self.signature = signature
    }

    /// Returns the chunk as it is sent. An empty chunk ends the body.
    mutating func chunk(_ data: Data) -> Data {
        let text = """
            AWS4-HMAC-SHA256-PAYLOAD
            \(scope.timestamp)
            \(scope.text)
            \(signature)
            \(SHA2.sha256([]).hexadecimal)
            \(SHA2.sha256(Array(data)).hexadecimal)
            """
        signature = HMAC.sha256(Array(text.utf8), key: key).hexadecimal
        return Data("\(AWSChunkSigner.head(data.count))\(signature)\r\n".utf8) + data + Data("\r\n".utf8)
    }

    private static func head(_ count: Int) -> String { "\(String(count, radix: 16));chunk-signature=" }

    /// The number of bytes of a chunk as it is sent.
    static func size(of count: Int) -> Int64 { Int64(head(count).utf8.count + 64 + 2 + count + 2) }
}

/// A body in signed chunks.
struct AWSChunkedBody: AsyncSequence, Sendable {
    typealias Element = Data

    /// The size of all chunks but the last one, at least 8 KiB.
    static let chunkSize = 64 << 10

    private let chunks: any AsyncSequence<Data, any Error> & Sendable
    private let signer: AWSChunkSigner

    /// Returns a body that consists of the signed chunks of another one.
    ///
    /// - Throws: `RequestError.Code.unsupportedBody` if the body is neither in memory nor a sequence.
    static func wrapping(_ body: RequestBody, _ signer: AWSChunkSigner) throws -> RequestBody {
        guard let length = body.length else { throw RequestError.unreadablePayload }
        if body.isNone || body.data != nil {
            return .data(signed(body.data ?? Data(), signer))
        }
        guard case .sequence(let sequence) = body.source else { throw RequestError.unreadablePayload }
        let isReplayable = body.isReplayable
        if !isReplayable { try sequence.use() }
        return .chunks(
            AWSChunkedBody(chunks: sequence.chunks, signer: signer),
            length: self.length(ofContent: length),
            isReplayable: isReplayable
        )
    }

    /// The length of a body in chunks.
    static func length(ofContent length: Int64) -> Int64 {
        let (whole, rest) = length.quotientAndRemainder(dividingBy: Int64(chunkSize))
        let last = rest > 0 ? AWSChunkSigner.size(of: Int(rest)) : 0
        return whole * AWSChunkSigner.size(of: chunkSize) + last + AWSChunkSigner.size(of: 0)
    }

    private static func signed(_ data: Data, _ signer: AWSChunkSigner) -> Data {
        var signer = signer
        var signed = Data()
        for start in stride(from: data.startIndex, to: data.endIndex, by: chunkSize) {
            signed += signer.chunk(data[start..<Swift.min(start + chunkSize, data.endIndex)])
        }
        return signed + signer.chunk(Data())
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator(), signer: signer) }

    struct Iterator: AsyncIteratorProtocol {
        private var chunks: (any AsyncIteratorProtocol<Data, any Error>)?
        private var signer: AWSChunkSigner
        private var rest = Data()
        private var isOver = false

        fileprivate init(chunks: any AsyncIteratorProtocol<Data, any Error>, signer: AWSChunkSigner) {
            self.chunks = chunks
            self.signer = signer
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            guard !isOver else { return nil }
            while rest.count < AWSChunkedBody.chunkSize, let chunk = try await chunks?.next(isolation: actor) {
                rest += chunk
            }
            let chunk = rest.prefix(AWSChunkedBody.chunkSize)
            rest = Data(rest.dropFirst(AWSChunkedBody.chunkSize))
            isOver = chunk.isEmpty
            return signer.chunk(Data(chunk))
        }
    }
}
