import Requests
import RequestsClient

/// The exchanges of a cassette, and which of them were replayed.
final class Tape: Sendable {
    private struct State {
        /// `nil` for an exchange that failed or hasn't ended.
        var entries: [HAR.Entry?] = []
        var used: Set<Int> = []
        var isClosed = false
    }

    private let state: Locked<State>

    init(_ entries: [HAR.Entry] = []) {
        state = Locked(State(entries: entries))
    }

    func checkOpen() throws(TransportError) {
        if state.withLock({ $0.isClosed }) { throw .shutDown(phase: .preparing) }
    }

    /// Closes the tape.
    ///
    /// - Returns: Whether it was open.
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

    var archive: HAR {
        HAR(log: HAR.Log(entries: state.withLock { $0.entries.compactMap(\.self) }))
    }

    var unused: [String] {
        state.withLock { state in
            state.entries.enumerated().compactMap { index, entry in
                state.used.contains(index) ? nil : entry?.request.summary
            }
        }
    }

    /// Returns the first unused response to a matching request.
    ///
    /// - Parameter description: The description of the request for errors.
    func response(
        to request: HAR.Request,
        matching criteria: [Cassette.Criterion],
        describedAs description: String
    ) throws(TransportError) -> HAR.Response {
        let entries = state.withLock { $0.entries }
        var closest: (index: Int, entry: HAR.Entry, differences: [Difference])?
        for (index, entry) in entries.enumerated() {
            guard let entry else { continue }
            let differences = criteria.compactMap { $0.difference(request, entry.request) }
            if differences.isEmpty, state.withLock({ $0.used.insert(index).inserted }) { return entry.response }
            let isCloser = differences.weight < closest?.differences.weight ?? .max
            if isCloser || differences.isEmpty { closest = (index, entry, differences) }
        }
        guard let closest else { throw .unmatched("no recorded response for \(description); the cassette is empty") }
        throw .unmatched(
            "no recorded response for \(description); the closest, \(closest.index + 1) of \(entries.count), "
                + (closest.differences.isEmpty
                    ? "was already used; record the request once for each time that it is sent"
                    : "is \(closest.entry.request.summary), but \(closest.differences.summary)")
        )
    }
}

extension HAR.Request {
    fileprivate var summary: String {
        let shown = (try? RequestURL(url))?.description ?? Redaction.quotedURL(url)
        return "\(method) \(shown)"
    }
}
