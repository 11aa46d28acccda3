import RequestsTesting
import Testing

@Suite("Cassette modes", .timeLimit(.minutes(5)))
struct CassetteModesTests {
    private let url = "https://api.example.com/users"
    private let server = StubTransport(routes: [
        .any(
            "/users/{id}",
            .respond { match in .reply(200, jsonText: #"{"id": \#(try match["id"])}"#) }
        )
    ])

    @Test("recordMissing replays what the file has, and records the rest")
    func recordMissing() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        for (id, sentCount) in [(1, 1), (1, 1), (2, 2), (1, 2)] {
            let cassette = try Cassette(file.url, mode: .recordMissing(over: server))
            #expect(try await cassette.exchange(.get, "\(url)/\(id)").body == #"{"id": \#(id)}"#)
            try cassette.save()
            #expect(server.requests.count == sentCount)
        }
        let replaying = try Cassette(file.url, mode: .replay)
        #expect(replaying.unused == ["GET \(url)/1", "GET \(url)/2"])
        #expect(replaying.recorded == ["GET \(url)/1", "GET \(url)/2"])
    }

    @Test("recordMissing doesn't write the file if nothing was recorded")
    func nothingRecorded() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        try Cassette(file.url, mode: .recordMissing(over: server)).save()
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
    }

    @Test("live sends every request, and neither reads nor writes the file")
    func live() async throws {
        let file = CassetteFile()
        let cassette = try Cassette(file.url, mode: .live(over: server))
        _ = try await cassette.exchange(.get, "\(url)/1")
        try cassette.save()
        #expect(server.requests.count == 1)
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
    }

    @Test("a response repeats if the cassette allows it, in the order of the recording")
    func repeats() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let counting = StubTransport(script: [.reply(200, text: "a"), .reply(200, text: "b")])
        try await file.record(over: counting) { cassette in
            for _ in 0..<2 { _ = try await cassette.exchange(.get, "\(url)/1") }
        }
        let cassette = try Cassette(file.url, mode: .replay, repeats: true)
        for body in ["a", "b", "b"] { #expect(try await cassette.exchange(.get, "\(url)/1").body == body) }
        let once = try Cassette(file.url, mode: .replay)
        for _ in 0..<2 { _ = try await once.exchange(.get, "\(url)/1") }
        await #expect(throws: TransportError.self) { try await once.exchange(.get, "\(url)/1") }
    }

    @Test("a recording expires: replaying throws, and recordMissing records it again")
    func expiry() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        try await file.record(over: server) { _ = try await $0.exchange(.get, "\(url)/1") }
        let now = Date(timeIntervalSince1970: 1_700_000_000 + 3600)
        _ = try Cassette(file.url, mode: .replay, expires: .seconds(3600)) { now }
        let error = #expect(throws: CassetteError.self) {
            try Cassette(file.url, mode: .replay, expires: .seconds(1800)) { now }
        }
        #expect(
            error?.message == "recorded.har: GET \(url)/1 was recorded on 2023-11-14T22:13:20.250Z, more than "
                + "1800.0 seconds ago; record it again"
        )
        let missing = try Cassette(file.url, mode: .recordMissing(over: server), expires: .seconds(1)) { now }
        _ = try await missing.exchange(.get, "\(url)/1")
        #expect(server.requests.count == 2)
    }

    @Test(
        "the environment chooses the mode, and replay is the default",
        arguments: [(nil, "replay"), ("replay", "replay"), ("record", "record"), ("live", "live")]
            + [("recordMissing", "recordMissing")] as [(String?, String)]
    )
    func environment(_ value: String?, _ expected: String) throws {
        let environment = value.map { ["REQUESTS_CASSETTES": $0] } ?? [:]
        let mode = try Cassette.Mode.fromEnvironment(over: server, environment: environment)
        let name =
            switch mode {
            case .record: "record"
            case .replay: "replay"
            case .recordMissing: "recordMissing"
            case .live: "live"
            }
        #expect(name == expected)
        if name != "replay" {
            let error = #expect(throws: CassetteError.self) {
                try Cassette.Mode.fromEnvironment(environment: environment)
            }
            #expect(error?.message.hasPrefix("REQUESTS_CASSETTES is \(name), but") == true)
        }
    }

    @Test("an unknown value in the environment throws")
    func unknownEnvironment() {
        #expect(throws: CassetteError.self) {
            try Cassette.Mode.fromEnvironment(over: server, environment: ["REQUESTS_CASSETTES": "Record"])
        }
    }

    @Test("a scoped cassette saves its recordings, and fails if a recorded request wasn't sent")
    func scoped() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let folder = file.url.deletingLastPathComponent()
        let recording = ["REQUESTS_CASSETTES": "record"]
        let body = try await Cassette.use("users", over: server, in: folder, environment: recording) { cassette in
            _ = try await cassette.exchange(.get, "\(url)/1")
            return try await cassette.exchange(.get, "\(url)/2").body
        }
        #expect(body == #"{"id": 2}"#)
        try await Cassette.use("users", in: folder, environment: [:]) { cassette in
            for id in 1...2 { _ = try await cassette.exchange(.get, "\(url)/\(id)") }
        }
        let error = await #expect(throws: CassetteError.self) {
            try await Cassette.use("users", in: folder, environment: [:]) {
                _ = try await $0.exchange(.get, "\(url)/2")
            }
        }
        #expect(
            error?.message == "users.har: 1 of its requests weren't sent, the first being GET \(url)/1; "
                + "send them, or record the cassette again"
        )
    }

    @Test("a scoped cassette is next to the source file, and rethrows the errors of its closure")
    func scopedFailure() async throws {
        let missing = await #expect(throws: CassetteError.self) {
            try await Cassette.use("none", environment: [:], source: "/nonexistent/Tests.swift") { _ in }
        }
        #expect(
            missing?.message
                == "can't read /nonexistent/Cassettes/none.har: No such file or directory; record the cassette first, "
                + "with the environment REQUESTS_CASSETTES=record"
        )
        let file = CassetteFile()
        let folder = file.url.deletingLastPathComponent()
        await #expect(throws: CancellationError.self) {
            try await Cassette.use("a", over: server, in: folder, environment: ["REQUESTS_CASSETTES": "record"]) { _ in
                throw CancellationError()
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("a cassette isn't overwritten by another test of the process", arguments: ["record", "recordMissing"])
    func overwritten(_ mode: String) async throws {
        let file = CassetteFile()
        defer { file.remove() }
        let folder = file.url.deletingLastPathComponent()
        func use(_ paths: String..., in mode: String) async throws {
            try await Cassette.use("a", over: server, in: folder, environment: ["REQUESTS_CASSETTES": mode]) {
                for path in paths { _ = try await $0.exchange(.get, "\(url)/\(path)") }
            }
        }
        try await use("1", in: mode)
        for paths in [["2"], []] where mode == "record" || !paths.isEmpty {
            let error = await #expect(throws: CassetteError.self) {
                try await Cassette.use("a", over: server, in: folder, environment: ["REQUESTS_CASSETTES": mode]) {
                    for path in paths { _ = try await $0.exchange(.get, "\(url)/\(path)") }
                }
            }
            #expect(error?.message.hasPrefix("a.har was already recorded in this process") == true)
        }
        try await use("1", in: "replay")
    }

    @Test("a criterion can compare any property, without its secrets")
    func criterion() async throws {
        let file = CassetteFile()
        defer { file.remove() }
        try await file.record(over: server) { cassette in
            _ = try await cassette.exchange(.get, "\(url)/1", header: ["X-Trace": "a-1", .authorization: "Bearer x"])
        }
        let byTrace = Cassette.Criterion("the trace") { $0.header["X-Trace"]?.prefix(1) }
        let byToken = Cassette.Criterion("the token") { $0.header[.authorization] }
        let cassette = try Cassette(file.url, mode: .replay, matching: [byTrace, byToken], repeats: true)
        let header: Header = ["X-Trace": "a-2", .authorization: "Bearer y"]
        #expect(try await cassette.exchange(.post, "https://other/", header: header).head.statusCode == 200)
        let error = await #expect(throws: TransportError.self) {
            try await cassette.exchange(.get, "\(url)/1", header: ["X-Trace": "b-1", .authorization: "Bearer y"])
        }
        #expect(error?.message.hasSuffix("but the trace differs") == true)
    }
}
