import RequestsCurl
import RequestsTestSupport
import RequestsTesting
import Testing

@testable import RequestsUploads

@Suite("Uploads over libcurl", .timeLimit(.minutes(5)))
struct UploadWireTests {
    private func client() throws -> Client {
        var client = Client(transport: try CurlTransport())
        client.configuration.retries = .fixed(.zero, limit: 1000)
        return client
    }

    private func content(_ number: Int) -> Data {
        var random = SplitMix64(seed: UInt64(number))
        let block = Data((0..<1009).map { _ in UInt8.random(in: 0...255, using: &random) })
        let length = Int.random(in: 1...150_000, using: &random)
        return (0...length / block.count).reduce(into: Data()) { content, _ in content += block }.prefix(length)
    }

    @Test(
        "Over connections that break at 1,500 random positions, every byte arrives once",
        arguments: [(8, "min-size=0"), (8, "max-append-size=20000"), (6, "min-size=0"), (5, "min-size=0"), (3, "")]
    )
    func cuts(version: Int, limits: String) async throws {
        let server = try UploadServer(UploadServer.Behavior(version: version, limits: limits, cutsAllBut: 4))
        let (api, client) = (BaseURL(server.baseURL), try client())
        let folder = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var number = 0
        while server.cuts < 300 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in number..<number + 8 {
                    group.addTask {
                        let (content, file) = (content(number), folder.appending(path: "\(number)"))
                        try content.write(to: file)
                        let body = number % 2 == 0 ? BodyProvider.file(file) : .raw(data: content)
                        let request = api.put(body, to: "/videos/\(number)", receiving: .text)
                        let text = try await client.upload(request).content
                        #expect(text == "\(content.count) bytes")
                    }
                }
                try await group.waitForAll()
            }
            number += 8
        }
        // A connection can also break before the 104 arrives, which leaves an incomplete upload.
        let complete = server.uploads.filter(\.isComplete)
        #expect(complete.count == number)
        #expect(Set(complete.map(\.target)).count == number)
        for upload in complete {
            let sent = content(try #require(Int(upload.target.dropFirst(8))))
            #expect(upload.data == sent, "\(upload.target)")
        }
    }

    @Test("A later client continues from the state, with the bytes that the server lacks")
    func restarted() async throws {
        let server = try UploadServer(UploadServer.Behavior(cutsAllBut: 3))
        let state = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID())")
        defer { try? FileManager.default.removeItem(at: state) }
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let request = BaseURL(server.baseURL).post(.raw(data: content), to: "/videos/1", receiving: .text)
        var text: String?
        while text == nil {
            // A call without retries stands for a program that ends with its connection.
            var client = try client()
            client.configuration.retries = .never
            text = try? await client.upload(request, state: state).content
        }
        #expect(text == "100000 bytes")
        #expect(server.uploads.filter(\.isComplete).map(\.data) == [content])
        #expect(!FileManager.default.fileExists(atPath: state.path))
    }

    @Test("A server of another version receives an ordinary upload")
    func otherVersion() async throws {
        let server = try UploadServer(UploadServer.Behavior(version: 7))
        let request = BaseURL(server.baseURL).post(.raw(data: Data(count: 9)), to: "/videos/1", receiving: .text)
        #expect(try await client().upload(request, protocol: .draft(8)).content == "9 bytes")
        #expect(server.lines == ["POST /videos/1 ?1", "POST /videos/1"])
    }

    @Test("An upload resource on another port is another origin")
    func otherOrigin() async throws {
        let other = try UploadServer()
        let server = try UploadServer(
            UploadServer.Behavior(limits: "max-append-size=5", origin: String(other.baseURL.absoluteString))
        )
        let request = BaseURL(server.baseURL).post(.raw(data: Data(count: 9)), to: "/videos/1", receiving: .text)
        await #expect { try await client().upload(request) } throws: { error in
            (error as? ClientError)?.code == .crossOriginBody
        }
        #expect(other.lines.isEmpty)
    }
}
