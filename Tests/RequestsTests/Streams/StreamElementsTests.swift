import Foundation
import Requests
import Testing

@Suite("The first element of a body", .timeLimit(.minutes(5)))
struct StreamElementsTests {
    @Test(
        "Bytes without an element aren't collected without a limit",
        arguments: [(StreamElements.events(upTo: 1000), ": ping\n\n"), (.jsonLines(upTo: 1000), "\n\n")]
    )
    func endless(framing: StreamElements, filler: String) {
        var search = framing.makeSearch()
        var chunks = 0
        let error = #expect(throws: TransportError.self) {
            for _ in 0..<100_000 where try !search.finds(in: Data(filler.utf8)) { chunks += 1 }
        }
        #expect(error?.code == .tooLarge)
        #expect(chunks * filler.utf8.count <= 70_000)
    }

    @Test("Comments before the first event are skipped, and an event may have its full size")
    func found() throws {
        var search = StreamElements.events(upTo: 1000).makeSearch()
        #expect(try !search.finds(in: Data(": ping\n\n".utf8)))
        #expect(try !search.finds(in: Data("data: \(String(repeating: "a", count: 900))\n".utf8)))
        #expect(try search.finds(in: Data("\n".utf8)))
    }
}
