import Requests
import RequestsClient

/// The exchanges of a cassette, with a record of the replayed ones.
final class Tape: Sendable {
    private struct State {
        /// The exchanges. `nil` for one that failed or hasn't ended.
        var entries: [HAR.Entry?] = []
        var used: Set<Int> = []
        var isClosed = false
    }

    private let state: Locked<State>
    /// The number of entries that came from the file. The entries after them are new recordings.
    private let loadedCount: Int

    init(_ entries: [HAR.Entry] = []) {
        state = Locked(State(entries: entries))
        loadedCount = entries.count
    }

    func checkOpen() throws(TransportError) {
        if state.withLock({ $0.isClosed }) { throw .shutdown(phase: .preparing) }
    }

    /// Marks the tape as closed, so later requests fail.
    ///
    /// - Returns: Whether it was open before.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// Reserves an index, so that exchanges are recorded in the order of their requests.
    func reserve() -> Int {
        state.withLock { state in
            state.entries.append(nil)
            return state.entries.count - 1
        }
    }

    func keep(_ entry: HAR.Entry, at index: Int) {
        state.withLock { $0.entries[index] = entry }
    }

    var entries: [HAR.Entry] { state.withLock { $0.entries.compactMap(\.self) } }

    var archive: HAR { HAR(log: HAR.Log(entries: entries)) }

    var hasRecorded: Bool { state.withLock { state in state.entries[loadedCount...].contains { $0 != nil } } }

    /// The summaries of the file's entries that weren't replayed.
    var unused: [String] {
        state.withLock { state in
            state.entries.prefix(loadedCount).enumerated().compactMap { index, entry in
                state.used.contains(index) ? nil : entry?.request.summary
            }
        }
    }

    /// Returns the file's first unused response to a matching request. If all are used and may repeat, returns the last
    /// one. `nil` if there is none.
    func take(_ request: HAR.Request, matching criteria: [Cassette.Criterion], repeats: Bool) -> HAR.Response? {
        var last: HAR.Response?
        for (index, entry) in state.withLock({ $0.entries.prefix(loadedCount) }).enumerated() {
            guard let entry, criteria.allSatisfy({ $0.difference(request, entry.request) == nil }) else { continue }
            if state.withLock({ $0.used.insert(index).inserted }) { return entry.response }
            last = entry.response
        }
        return repeats ? last : nil
    }

    /// Returns the error for a request without a recorded response. It names the closest recorded request.
    ///
    /// - Parameter description: The request's description, for the message.
    func unmatched(
        _ request: HAR.Request,
        matching criteria: [Cassette.Criterion],
        describedAs description: String
    ) -> TransportError {
        let entries = state.withLock { $0.entries }
        var closest: (index: Int, entry: HAR.Entry, differences: [Difference])?
        for (index, entry) in entries.enumerated() {
            guard let entry else { continue }
            let differences = criteria.compactMap { $0.difference(request, entry.request) }
            let isCloser = closest.map { differences.isCloser(than: $0.differences) } ?? true
            if isCloser || differences.isEmpty { closest = (index, entry, differences) }
        }
        guard let closest else { return .unmatched("the empty cassette has no response for \(description); record it") }
        return .unmatched(
            "no recorded response for \(description); the closest, \(closest.index + 1) of \(entries.count), "
                + (closest.differences.isEmpty
                    ? "was already used; record the request once for each time that it is sent"
                    : "is \(closest.entry.request.summary), but \(closest.differences.summary)")
        )
    }
}

extension HAR.Request {
    var summary: String {
        let shown = (try? RequestURL(url))?.description ?? Redaction.quotedURL(url)
        return "\(method) \(shown)"
    }
}
