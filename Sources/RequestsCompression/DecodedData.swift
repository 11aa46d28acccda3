import Requests
import RequestsClient

/// A small response body that was decoded as a whole, which costs less than decoding it as it is read.
final class DecodedData: ResponseBodySource {
    static let maximumEncodedBytes = 16 << 10
    static let maximumBytes: Int64 = 64 << 10

    private let base: DataSource

    init(_ base: DataSource) {
        self.base = base
    }

    /// Returns the decoded bytes. `nil` if they are too many, or if they aren't valid, which a reader must find out.
    static func decode(_ encoded: Data, _ codings: [ContentEncoding], upTo maximum: Int64) -> Data? {
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

    func next() async throws -> Data? { try await base.next() }
    func collect(upTo maximumBytes: Int) async throws -> Data { try await base.collect(upTo: maximumBytes) }
    func cancel() { base.cancel() }
    var trailers: Header? { base.trailers }
    var boxedMetrics: TransferMetrics.Boxed? { base.boxedMetrics }
    var isDecoded: Bool { true }
    var isComplete: Bool { true }
    var isRead: Bool { base.isRead }
}
