import Requests
import RequestsClient

/// The exchanges of a cassette, and which of them were replayed.
final class Tape: Sendable {
    private struct State {
        /// `nil` for an exchange that is not over, or failed.
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

    /// - Returns: Whether it was open.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// A place in the order in which requests were sent, whenever their responses come.
    func reserve() -> Int {
        state.withLock { state in
            state.entries.append(nil)
            return state.entries.count - 1
        }
    }

    func keep(_ entry: HAR.Entry, at place: Int) {
        state.withLock { $0.entries[place] = entry }
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

    /// - Parameter description: The request, for an error.
    func response(
        to request: HAR.Request,
        matching criteria: [Cassette.Criterion],
        shownAs description: String
    ) throws(TransportError) -> HAR.Response {
        let entries = state.withLock { $0.entries }
        var nearest: (place: Int, entry: HAR.Entry, differences: [Difference])?
        for (place, entry) in entries.enumerated() {
            guard let entry else { continue }
            let differences = criteria.compactMap { $0.difference(request, entry.request) }
            if differences.isEmpty, state.withLock({ $0.used.insert(place).inserted }) { return entry.response }
            let isNearer = differences.weight < nearest?.differences.weight ?? .max
            if isNearer || differences.isEmpty { nearest = (place, entry, differences) }
        }
        guard let nearest else { throw .unmatched("nothing is recorded, and so no reply for \(description)") }
        throw .unmatched(
            "no recorded reply for \(description); the nearest, \(nearest.place + 1) of \(entries.count), "
                + (nearest.differences.isEmpty
                    ? "was given already; record the request once for each time that it is sent"
                    : "is \(nearest.entry.request.summary), but \(nearest.differences.words)")
        )
    }
}

extension HAR.Request {
    fileprivate var summary: String {
        let shown = (try? RequestURL(url))?.description ?? Redaction.quotedURL(url)
        return "\(method) \(shown)"
    }
}
