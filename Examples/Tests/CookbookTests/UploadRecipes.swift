import Dispatch
import Foundation
import RequestsCurl
import RequestsTesting
import Synchronization
import Testing

@Suite("Cookbook: uploads", .timeLimit(.minutes(2)))
struct UploadRecipes {
    /// More than the buffers of a connection take.
    private static let size = 64 << 20

    let kitchen = Kitchen()
    var api: BaseURL { kitchen.api }

    @Test("Upload a file with progress")
    func progress() async throws {
        let client = kitchen.client(.reply(201))
        let file = URL(filePath: #filePath)
        let reports = Mutex<[Int64]>([])
        try await client.send(api.put(.file(file), to: "/photos/7")) { sent, total in
            reports.withLock { $0.append(sent) }
            print("\(sent) of \(total ?? 0) bytes")
        }
        #expect(reports.withLock { $0.last } == Int64(try Data(contentsOf: file).count))
    }

    @Test("Cancel an upload halfway")
    func canceledProgress() async throws {
        let isOver = DispatchSemaphore(value: 0)
        defer { isOver.signal() }
        let server = try LoopbackServer { connection in
            var received = 0
            while received < UploadRecipes.size / 2 { received += try connection.read().count }
            isOver.wait()
        }
        let api = BaseURL(server.baseURL)
        let client = Client(transport: CurlTransport.shared)
        let file = URL.temporaryDirectory.appending(component: "\(UUID())")
        try Data(count: UploadRecipes.size).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var precise = client
        precise.configuration.progressInterval = .zero
        let (progress, continuation) = AsyncStream<Double>.makeStream()
        let upload = Task { [api, precise] in
            defer { continuation.finish() }
            let photo = api.put(.file(file), to: "/photos/7")
            try await precise.send(photo) { sent, total in
                continuation.yield(Double(sent) / Double(total ?? sent))
            }
        }
        for await fraction in progress where fraction >= 0.5 {
            upload.cancel()
            break
        }
        await #expect(throws: CancellationError.self) { try await upload.value }
    }

    @Test("Show the progress of an upload on the main actor, and cancel it")
    @MainActor func mainActorProgress() async throws {
        @MainActor
        final class Upload {
            private(set) var fraction = 0.0

            /// Cancel the task that calls this to cancel the upload.
            func run(
                _ request: Request<BaseURL, Void>,
                over client: Client
            ) async throws {
                let (fractions, continuation) = AsyncStream<Double>.makeStream(
                    bufferingPolicy: .bufferingNewest(1)
                )
                async let sent: Void = {
                    defer { continuation.finish() }
                    try await client.send(request) { sent, total in
                        continuation.yield(
                            Double(sent) / Double(max(total ?? sent, 1))
                        )
                    }
                }()
                for await fraction in fractions { self.fraction = fraction }
                try await sent
            }
        }

        let upload = Upload()
        let request = api.put(.file(URL(filePath: #filePath)), to: "/photos/7")
        try await upload.run(request, over: kitchen.client(.reply(201)))
        #expect(upload.fraction == 1)

        let stuck = Client(transport: StubTransport(script: [.never]))
        let canceled = Upload()
        let task = Task { try await canceled.run(request, over: stuck) }
        while canceled.fraction < 1 {
            try Task.checkCancellation()
            await Task.yield()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let failed = Upload()
        await #expect(throws: ResponseError.self) { try await failed.run(request, over: kitchen.client(.reply(413))) }
    }
}
