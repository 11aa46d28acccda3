import Foundation
import RequestsSchemes
import RequestsTesting
import Synchronization
import Testing

@Suite("Cookbook: responses", .timeLimit(.minutes(5)))
struct ResponseRecipes {
    typealias User = Kitchen.User

    let kitchen = Kitchen()
    var api: BaseURL { kitchen.api }

    @Test("Read the status and a header field")
    func head() async throws {
        let client = kitchen.client(.reply(200, header: ["ETag": "\"7\""], jsonText: Kitchen.ada))
        let response = try await client.response(
            for: api.get(json: User.self, from: "/users/1")
        )
        print(
            response.head.statusCode,
            response.head.header["ETag"] ?? "no tag",
            response.content.name
        )
        #expect(response.head.header["ETag"] == "\"7\"")
    }

    @Test("Handle an error by its kind")
    func errors() async throws {
        let client = kitchen.client(.reply(404))
        var message = ""
        do {
            print(try await client.send(api.get(.text, from: "/users/9")))
        } catch let error as ResponseError where error.statusCode == 404 {
            message = "There is no such user."
        } catch let error as TransportError where error.isTimeout {
            message = "The server is too slow."
        } catch {
            message = "\(error)"
        }
        #expect(message == "There is no such user.")
    }

    @Test("Read the API's description of a failure")
    func typedErrors() async throws {
        let client = kitchen.client(.reply(422, jsonText: #"{"reason": "The name is taken."}"#))
        struct Problem: Error, Decodable { var reason: String }
        do {
            try await client.send(
                api.post(json: ["name": "Ada"], to: "/users")
                    .decodingErrors(as: Problem.self)
            )
        } catch let error as ResponseError {
            print((error.underlying as? Problem)?.reason ?? error.message)
        }
        let client2 = kitchen.client(.reply(422, jsonText: #"{"reason": "The name is taken."}"#))
        let error = await #expect(throws: ResponseError.self) {
            try await client2.send(api.delete("/").decodingErrors(as: Problem.self))
        }
        #expect((error?.underlying as? Problem)?.reason == "The name is taken.")
    }

    @Test("Read Problem Details")
    func problems() async throws {
        let client = kitchen.client(
            .reply(403, header: [.contentType("application/problem+json")], jsonText: #"{"title": "Out of credit"}"#)
        )
        var title: String?
        do {
            try await client.send(api.delete("/account").problems())
        } catch let error as ResponseError {
            title = error.problem?.title
        }
        #expect(title == "Out of credit")
    }

    @Test("Return nil for a missing resource")
    func optional() async throws {
        let client = kitchen.client(.reply(404))
        let decoder: ResponseDecoder<User?> = .oneOf(status: [
            200: ResponseDecoder.json(User.self).map { $0 },
            404: ResponseDecoder.none.map { nil },
        ])
        let user = try await client.send(api.get(decoder, from: "/users/9"))
        #expect(user == nil)
    }

    @Test("Decode a value inside of an envelope")
    func envelope() async throws {
        let client = kitchen.client(.reply(200, jsonText: #"{"data": {"user": {"id": 1, "name": "Ada"}}}"#))
        let user = try await client.send(
            api.get(.json(User.self, at: "data.user"), from: "/me")
        )
        #expect(user.name == "Ada")
    }

    @Test("Skip elements that can't be decoded")
    func lossy() async throws {
        let client = kitchen.client(.reply(200, jsonText: #"[{"id": 1, "name": "Ada"}, {"id": "x"}]"#))
        let users = try await client.send(
            api.get(.lossyArray(of: User.self), from: "/users")
        )
        #expect(users.count == 1)
    }

    @Test("Read lines of JSON as they arrive")
    func jsonLines() async throws {
        let client = kitchen.client(.reply(200, text: "\(Kitchen.ada)\n\(Kitchen.ada)\n"))
        var names: [String] = []
        let response = try await client.stream(api.get(.none, from: "/export"))
            .validated()
        for try await user in response.jsonLines(of: User.self) {
            names.append(user.name)
        }
        #expect(names == ["Ada", "Ada"])

        let broken = kitchen.client(.reply(200, chunks: [Data("\(Kitchen.ada)\n".utf8)], failure: .truncated))
        let export = try await broken.stream(api.get(.none, from: "/export"))
        let error = await #expect(throws: TransportError.self) {
            for try await _ in export.jsonLines(of: User.self) {}
        }
        #expect(error?.code == .truncated)
    }

    @Test("Stop reading a response early")
    func firstError() async throws {
        let body = "started\nerror: no disk\nerror: no memory\n"
        let client = kitchen.client(.reply(200, text: body).after(bytes: body.utf8.count, .stall))
        func firstError() async throws -> String? {
            let response = try await client.stream(api.get(.none, from: "/log"))
                .validated()
            for try await line in response.content.lines
            where line.hasPrefix("error") {
                return line
            }
            return nil
        }
        #expect(try await firstError() == "error: no disk")
    }

    @Test("Read the answer of a language model")
    func languageModel() async throws {
        let client = kitchen.client(
            .reply(
                200,
                header: [Field(name: .contentType, value: "text/event-stream")],
                text: "data: {\"text\": \"Hel\"}\n\ndata: {\"text\": \"lo\"}\n\ndata: [DONE]\n\n"
            )
        )
        struct Delta: Decodable, Sendable { var text: String }
        var answer = ""
        let prompt = api.post(json: ["prompt": "Greet me."], to: "/completions")
        let deltas = client.events(of: Delta.self, for: prompt, until: "[DONE]")
        for try await delta in deltas { answer += delta.text }
        #expect(answer == "Hello")

        let event = [Field(name: .contentType, value: "text/event-stream")]
        let early = kitchen.client(.reply(200, header: Header(event), text: "data: {\"text\": \"Hel\"}\n\n"))
        let error = await #expect(throws: TransportError.self) {
            for try await _ in early.events(of: Delta.self, for: prompt, until: "[DONE]") {}
        }
        #expect(error?.code == .truncated)
        let limited = kitchen.client(.reply(429), .reply(200)) { $0.retries = .exponential() }
        await #expect(throws: ResponseError.self, "A POST isn't repeated after a 429.") {
            for try await _ in limited.events(of: Delta.self, for: prompt, until: "[DONE]") {}
        }
    }

    @Test("Load all pages of a list")
    func pages() async throws {
        let client = kitchen.client(
            .reply(200, header: ["Link": "</users?page=2>; rel=\"next\""], jsonText: "[\(Kitchen.ada)]"),
            .reply(200, jsonText: "[\(Kitchen.ada)]")
        )
        var users: [User] = []
        let list = api.get(json: [User].self, from: "/users")
        for try await page in client.pages(list) { users += page.content }
        #expect(users.count == 2)

        let elsewhere = Header(["Link": "<https://other.example/users>; rel=\"next\""])
        let lured = kitchen.client(.reply(200, header: elsewhere, jsonText: "[]"), .reply(200, jsonText: "[]"))
        let error = await #expect(throws: ClientError.self) {
            for try await _ in lured.pages(api.get(json: [User].self, from: "/users")) {}
        }
        #expect(error?.code == .crossOriginPage)
    }

    @Test("Download a file, and resume it after a failure")
    func download() async throws {
        let client = kitchen.client(
            .reply(200, header: ["ETag": "\"1\""], chunks: [Data("the ".utf8)], failure: .truncated),
            .reply(206, header: ["ETag": "\"1\"", "Content-Range": "bytes 4-7/8"], text: "data")
        ) { $0.retries = .fixed(.zero, limit: 1) }
        let file = FileManager.default.temporaryDirectory.appending(
            path: "dataset-\(UUID()).tar"
        )
        try await client.download(
            api.get(.none, from: "/dataset.tar"),
            to: file,
            resume: true
        ) { received, total in
            print(
                received,
                "of",
                total.map { "\($0)" } ?? "an unknown number of bytes"
            )
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "the data")
        try FileManager.default.removeItem(at: file)
    }

    @Test("Download many files, four at a time")
    func downloads() async throws {
        let client = kitchen.client(.reply(200, text: "1"), .reply(200, text: "2"), .reply(200, text: "3"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let names = ["a.png", "b.png", "c.png"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, name) in names.enumerated() {
                if index >= 4 { try await group.next() }
                group.addTask {
                    let request = api.get(.none, from: "/files/\(name)")
                    try await client.download(
                        request,
                        to: folder.appending(path: name)
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
        try FileManager.default.removeItem(at: folder)
    }

    @Test("Check the digest of a response")
    func digest() async throws {
        let client = kitchen.client(.reply(200, header: [.contentDigest(of: Data("ok".utf8))], text: "ok"))
        let response = try await client.response(
            for: api.get(.data, from: "/dataset.tar")
        )
        let isIntact =
            response.head.header[.contentDigest]
            == Field.contentDigest(of: response.content).value
        #expect(isIntact)
    }

    @Test("Check the digest of a downloaded file")
    func downloadedDigest() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "digest-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appending(path: "dataset.tar")
        let request = api.get(.none, from: "/dataset.tar")
        // The SHA-256 of "ok".
        let published = "Jok2eyBcFs4y7UIAlCuLix4mLfxw2byfvHfElpmk8d8="

        struct WrongDigest: Error {}
        func fetch(over client: Client) async throws {
            let download = target.appendingPathExtension("unchecked")
            try await client.download(request, to: download)
            let content = try Data(contentsOf: download, options: .mappedIfSafe)
            guard Field.contentDigest(of: content).value == "sha-256=:\(published):"
            else {
                try FileManager.default.removeItem(at: download)
                throw WrongDigest()
            }
            try FileManager.default.moveItem(at: download, to: target)
        }

        await #expect(throws: WrongDigest.self) { try await fetch(over: kitchen.client(.reply(200, text: "no"))) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try await fetch(over: kitchen.client(.reply(200, text: "ok")))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["dataset.tar"])
    }

    @Test("Ask for a resource only if it has changed")
    func conditionalRequest() async throws {
        let client = kitchen.client(.reply(304))
        let request = api.get(
            ResponseDecoder.json(User.self).optional,
            from: "/users/1"
        )
        .adding(headerField: .ifNoneMatch("7"))
        let changed = try await client.send(request)
        #expect(changed == nil)
    }

    @Test("Print text in a terminal as it arrives")
    func terminal() async throws {
        let reply = "data: {\"text\": \"Hel\\u001b[2J\"}\n\ndata: {\"text\": \"lo\\n\"}\n\n"
        let client = kitchen.client(
            .reply(200, header: [Field(name: .contentType, value: "text/event-stream")], text: reply)
        )
        struct Delta: Decodable, Sendable { var text: String }
        let prompt = api.post(json: ["prompt": "Greet me."], to: "/completions")
        let pipe = Pipe()
        let output = pipe.fileHandleForWriting
        func show() async throws {
            let deltas = client.events(of: Delta.self, for: prompt, until: "[DONE]")
            for try await delta in deltas {
                // A terminal runs the control characters that a server sends.
                let text = delta.text.unicodeScalars.filter {
                    $0.properties.generalCategory != .control || $0 == "\n"
                }
                try output.write(
                    contentsOf: Data(String(String.UnicodeScalarView(text)).utf8)
                )
            }
        }
        // The stream ends without [DONE]. What came before is in the output, because a file handle has no buffer.
        await #expect(throws: TransportError.self) { try await show() }
        try output.close()
        #expect(try pipe.fileHandleForReading.readToEnd() == Data("Hel[2Jlo\n".utf8))
    }

    @Test("Send many requests, sixteen at a time, and collect the errors")
    func concurrency() async throws {
        let inFlight = Mutex((now: 0, most: 0))
        let stub = StubTransport { request in
            inFlight.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            for _ in 0..<10 { await Task.yield() }
            inFlight.withLock { $0.now -= 1 }
            return try .stub(request.url.path.hasSuffix("3") ? 500 : 200, for: request)
        }
        let api = kitchen.api
        var client = Client(transport: stub)
        client.configuration.maximumConcurrentCalls = 16
        client.configuration.timeouts.attempt = .seconds(10)
        let results = await withTaskGroup { [client] group in
            for id in 0..<200 {
                group.addTask {
                    await client.result(of: api.get(.data, from: "/items/\(id)"))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let errors = results.compactMap {
            if case .failure(let error) = $0 { error } else { nil }
        }
        #expect(results.count == 200)
        #expect(errors.count == 20)
        #expect(inFlight.withLock { $0.most } <= 16)
    }
}
