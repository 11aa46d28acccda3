import RequestsSystem
import RequestsTesting
import Testing

@testable import RequestsUploads

@Suite("The bodies of uploads", .timeLimit(.minutes(5)))
struct UploadBodyTests: UploadSuite {
    private func bytes(_ body: RequestBody) throws -> Data {
        var (all, reading) = (
            Data(), try BodyBytes(body) { try OpenFile.reading($0.url.path, from: $0.offset, count: $0.length) }
        )
        while let chunk = try reading.next(upTo: 64) { all += chunk }
        return all
    }

    @Test("A part has the bytes of its range, in memory, in a file and across both")
    func parts() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-part-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Self.body.write(to: file)
        let slice = Data(Self.body.prefix(50)) + Self.body.suffix(50)
        let bodies: [RequestBody] = [
            .data(slice.dropFirst(0)), .file(file),
            .joined([.data(Self.body.prefix(30)), .file(file, range: 30..<60), .data(Data()), .data(Self.body[60...])]),
        ]
        for body in bodies {
            #expect(body.divisibleLength == 100)
            for start in stride(from: Int64(0), through: 100, by: 7) {
                for end in stride(from: start, through: 100, by: 9) {
                    let part = body.part(start..<end)
                    #expect(try bytes(part) == Self.body[Int(start)..<Int(end)])
                    #expect(part.length == end - start)
                }
            }
        }
        #expect(try bytes(RequestBody.file(file, range: 10..<90).part(5..<20)) == Self.body[15..<30])
    }

    @Test("Streams, and bodies with trailers, are sent like any other request")
    func indivisible() async throws {
        let stream = RequestBody.stream(length: 100) { { _ in nil } }
        #expect(stream.divisibleLength == nil)
        #expect(RequestBody.data(Self.body).with(trailers: { .empty }).divisibleLength == nil)
        let stub = StubTransport(script: [.reply(200)])
        _ = try await client(stub).upload(api.post(.chunks(Self.body.chunked), to: "/videos"))
        #expect(stub.requests.count == 1)
        #expect(stub.requests[0].header["Upload-Complete" as Field.Name] == nil)
        let empty = StubTransport(script: [.reply(200)])
        _ = try await client(empty).upload(api.post(.none, to: "/videos"))
        #expect(requests(empty) == ["POST /videos"])
    }

    @Test("An upload fails if its file changes before the rest is sent")
    func changed() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-changed-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Self.body.write(to: file)
        let stub = StubTransport(script: [
            supported(.failure(.closed)),
            .respond { _ in
                try Data(count: 100).write(to: file)
                return .reply(204, header: [Self.offset(60), Self.incomplete])
            },
        ])
        let error = try #require(await client(stub).uploadError(api.post(.file(file), to: "/videos")) as? ClientError)
        #expect(error.message.contains("a file of the body has changed"))
        #expect(stub.requests.count == 2)
    }
}

extension Data {
    fileprivate var chunked: AsyncStream<Data> {
        AsyncStream { continuation in
            continuation.yield(self)
            continuation.finish()
        }
    }
}
