import Foundation
import RequestsTestSupport
import RequestsTesting

/// A server of the draft, in one of the known versions, that breaks connections at random positions.
///
/// The positions depend on the target's path and the number of its requests, so they are the same in each run.
final class UploadServer: Sendable {
    /// What the server does, apart from the draft.
    struct Behavior: Sendable {
        var version = 8
        /// `Upload-Limit`.
        var limits = "min-size=0"
        /// One of so many requests is answered on a connection that stays open.
        var cutsAllBut = 0
        /// Whether `104` is sent.
        var isEager = true
        /// Where upload resources are, in place of this server.
        var origin = ""
    }

    /// An upload, from its creation until the server stops.
    struct Upload: Sendable {
        let target: String
        var data = Data()
        var length: Int?
        var isComplete = false
    }

    private struct State {
        var uploads: [Upload] = []
        /// The number of requests for each target.
        var requests: [String: Int] = [:]
        var cuts = 0
        var lines: [String] = []
    }

    private struct Cut: Error {}

    private let behavior: Behavior
    private let state: Locked<State>
    private let server: Locked<LoopbackServer?>

    init(_ behavior: Behavior = Behavior()) throws {
        self.behavior = behavior
        state = Locked(State())
        server = Locked(nil)
        let started = try LoopbackServer { [weak self] connection in
            while let head = try connection.readHead() { try self?.serve(Head(head), connection) }
        }
        server.withLock { $0 = started }
    }

    var baseURL: URL { server.withLock { $0?.baseURL } ?? URL(filePath: "/") }
    var uploads: [Upload] { state.withLock { $0.uploads } }
    var cuts: Int { state.withLock { $0.cuts } }
    /// The method, the path, `Upload-Complete` and `Upload-Offset` of all requests.
    var lines: [String] { state.withLock { $0.lines } }

    /// Removes all upload resources.
    func forget() { state.withLock { $0.uploads = [] } }

    // MARK: Requests

    private struct Head {
        let method: String
        let path: String
        let fields: [String: String]

        init(_ text: String) {
            let lines = text.components(separatedBy: "\r\n")
            let parts = lines[0].split(separator: " ").map(String.init)
            (method, path) = (parts[0], parts[1])
            fields = lines.dropFirst().reduce(into: [:]) { fields, line in
                let pair = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                fields[pair[0].lowercased()] = pair.count == 2 ? pair[1] : ""
            }
        }

        var length: Int { Int(fields["content-length"] ?? "") ?? 0 }
        var offset: Int? { fields["upload-offset"].flatMap { Int($0) } }
        var isLast: Bool { fields["upload-complete"] == "?1" || fields["upload-incomplete"] == "?0" }
    }

    private func serve(_ head: Head, _ connection: LoopbackServer.Connection) throws {
        let names = ["upload-complete", "upload-offset"].compactMap { head.fields[$0] }
        state.withLock { $0.lines.append(([head.method, head.path] + names).joined(separator: " ")) }
        let index = head.path.split(separator: "/").last.flatMap { Int($0) } ?? -1
        let isResource = head.path.hasPrefix("/uploads/")
        guard !isResource || uploads.indices.contains(index) else { return try answer(404, [], to: head, connection) }
        let target = isResource ? uploads[index].target : head.path
        var plan = CutPlan(target, number: count(target), length: head.length, oneIn: behavior.cutsAllBut)
        do {
            switch head.method {
            case "OPTIONS": try describe(head, connection)
            case "HEAD": try answer(204, fields(of: index), to: head, connection, &plan)
            case "DELETE": try answer(204, [], to: head, connection)
            case "PATCH": try append(head, to: index, connection, &plan)
            default: try create(head, connection, &plan)
            }
        } catch let cut as Cut {
            state.withLock { $0.cuts += 1 }
            if plan.isReset { connection.reset() }
            throw cut
        }
    }

    private func describe(_ head: Head, _ connection: LoopbackServer.Connection) throws {
        let version = "\(behavior.version)"
        guard head.fields["upload-draft-interop-version"] ?? version == version else {
            return try answer(400, ["Upload-Draft-Interop-Version: \(version)"], to: head, connection)
        }
        try answer(204, ["Upload-Limit: \(behavior.limits)"], to: head, connection)
    }

    private func complete(_ isComplete: Bool) -> String {
        behavior.version < 5
            ? "Upload-Incomplete: \(isComplete ? "?0" : "?1")" : "Upload-Complete: \(isComplete ? "?1" : "?0")"
    }

    private func count(_ target: String) -> Int {
        state.withLock { state in
            state.requests[target, default: 0] += 1
            return state.requests[target, default: 0]
        }
    }

    private func fields(of index: Int) -> [String] {
        let upload = uploads[index]
        return ["Upload-Offset: \(upload.data.count)", complete(upload.isComplete)]
            + ["Upload-Limit: \(behavior.limits)"] + (upload.length.map { ["Upload-Length: \($0)"] } ?? [])
    }

    private func create(_ head: Head, _ connection: LoopbackServer.Connection, _ plan: inout CutPlan) throws {
        let version = head.fields["upload-draft-interop-version"]
        guard version == nil || version == "\(behavior.version)" else {
            return try answer(400, ["Upload-Draft-Interop-Version: \(behavior.version)"], to: head, connection)
        }
        let index = state.withLock { state in
            let length = head.fields["upload-length"].flatMap { Int($0) }
            state.uploads.append(Upload(target: head.path, length: length))
            return state.uploads.count - 1
        }
        let location = "Location: \(behavior.origin)/uploads/\(index)"
        if version != nil, behavior.isEager {
            let fields = [
                "Upload-Draft-Interop-Version: \(behavior.version)", location, "Upload-Limit: \(behavior.limits)",
            ]
            try connection.write("HTTP/1.1 104 Upload Resumption Supported\r\n" + lines(fields))
        }
        try receive(head, at: index, connection, &plan)
        if version == nil || head.isLast { return try complete(index, head, connection, &plan) }
        let fields = [location, complete(false), "Upload-Limit: \(behavior.limits)"]
        try answer(201, fields, to: head, connection, &plan)
    }

    private func append(
        _ head: Head,
        to index: Int,
        _ connection: LoopbackServer.Connection,
        _ plan: inout CutPlan
    ) throws {
        let upload = uploads[index]
        guard head.fields["content-type"] == "application/partial-upload", head.offset == upload.data.count,
            !upload.isComplete || head.length == 0
        else {
            return try answer(
                409,
                ["Upload-Offset: \(upload.data.count)", complete(false)],
                to: head,
                connection
            )
        }
        try receive(head, at: index, connection, &plan)
        if head.isLast { return try complete(index, head, connection, &plan) }
        try answer(204, [complete(false)], to: head, connection, &plan)
    }

    /// Stores the bytes of a body as they arrive, up to the planned position.
    private func receive(
        _ head: Head,
        at index: Int,
        _ connection: LoopbackServer.Connection,
        _ plan: inout CutPlan
    ) throws {
        var left = head.length
        while left > 0 {
            let limit = plan.position.map { min($0 - (head.length - left), left) } ?? left
            if limit <= 0 { throw Cut() }
            let bytes = try connection.read()
            guard !bytes.isEmpty else { throw Cut() }
            let taken = bytes.prefix(limit)
            state.withLock { $0.uploads[index].data += taken }
            left -= taken.count
            if taken.count < bytes.count {
                guard left == 0 else { throw Cut() }
                connection.putBack(bytes[taken.count...])
            }
        }
    }

    private func complete(
        _ index: Int,
        _ head: Head,
        _ connection: LoopbackServer.Connection,
        _ plan: inout CutPlan
    ) throws {
        let count = state.withLock { state in
            state.uploads[index].isComplete = true
            return state.uploads[index].data.count
        }
        // swift-nio-extras sends the field of the other versions here.
        let isComplete = [5, 6].contains(behavior.version) ? "Upload-Incomplete: ?0" : "Upload-Complete: ?1"
        try answer(201, [isComplete], to: head, connection, &plan, body: "\(count) bytes")
    }

    // MARK: Responses

    private func lines(_ fields: [String]) -> String { fields.map { $0 + "\r\n" }.joined() + "\r\n" }

    private func answer(
        _ status: Int,
        _ fields: [String],
        to head: Head,
        _ connection: LoopbackServer.Connection
    ) throws {
        var plan = CutPlan.none
        if head.method != "PATCH" || status != 409 { _ = try connection.readBytes(head.length) }
        try answer(status, fields, to: head, connection, &plan)
    }

    private func answer(
        _ status: Int,
        _ fields: [String],
        to head: Head,
        _ connection: LoopbackServer.Connection,
        _ plan: inout CutPlan,
        body: String = ""
    ) throws {
        let length = status == 204 ? [] : ["Content-Length: \(body.utf8.count)"]
        let text = "HTTP/1.1 \(status) Status\r\n" + lines(fields + length) + (head.method == "HEAD" ? "" : body)
        guard let position = plan.position else { return try connection.write(text) }
        // The planned position is after the request's body, so it is in the response.
        try connection.write(String(text.prefix(max(position - head.length, 0) % text.count)))
        throw Cut()
    }
}

/// Where a connection breaks: after so many bytes of the request's body, or of the response after it.
struct CutPlan {
    static let none = CutPlan()
    private(set) var position: Int?
    private(set) var isReset = false

    private init() {}

    /// - Parameter oneIn: One of so many requests isn't cut. 0 cuts none.
    init(_ target: String, number: Int, length: Int, oneIn: Int) {
        var random = SplitMix64(seed: target.utf8.reduce(UInt64(number)) { $0 &* 31 &+ UInt64($1) })
        guard oneIn > 0, random.next() % UInt64(oneIn) != 0 else { return }
        position = Int.random(in: 1...length + 100, using: &random)
        isReset = Bool.random(using: &random)
    }
}
