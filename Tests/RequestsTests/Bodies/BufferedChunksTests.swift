import Foundation
import Testing

@testable import Requests
@testable import RequestsClient

@Suite("Buffered chunks", .timeLimit(.minutes(5)))
struct BufferedChunksTests {
    @Test("Chunks that were read are freed, even if some are always unread")
    func room() throws {
        var chunks = BufferedChunks()
        for number in 0..<3 { chunks.append(Data([UInt8(number)])) }
        for number in 3..<10_000 {
            #expect(chunks.popFirst() == Data([UInt8(truncatingIfNeeded: number - 3)]))
            chunks.append(Data([UInt8(truncatingIfNeeded: number)]))
        }
        #expect(chunks.byteCount == 3)
        #expect(chunks.joined == Data((9997..<10_000).map { UInt8(truncatingIfNeeded: $0) }))
        let kept = try #require(Mirror(reflecting: chunks).descendant("others") as? [Data])
        #expect(kept.count < 100)
    }
}
