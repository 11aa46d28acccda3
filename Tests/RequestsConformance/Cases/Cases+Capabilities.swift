import Dispatch
import Requests
import RequestsClient
import RequestsTesting

/// Cases about options that need a capability, and about HTTP/2.
extension TransportConformance.Case {
    static let capabilities: [Self] = [networkServices]
    static let http2: [Self] = [http2Exchanges, http2Streams]

    /// A transport with the `networkServices` capability sends requests that need it. Others reject them.
    public static let networkServices = Self(
        "networkServices",
        "options for network services are supported or rejected"
    ) { context in
        let changes: [@Sendable (inout CallOptions) -> Void] = [
            { $0.allowsCellularAccess = false }, { $0.networkServiceType = .background },
        ]
        for change in changes {
            let server = try context.serveHTTP { _ in .init(200) }
            var request = try context.request(.get, server)
            change(&request.options)
            if context.transport.capabilities.contains(.networkServices) {
                try context.expect(try await context.exchange(request).head.statusCode, is: 200, "the status")
            } else {
                try await context.expectFailure(.unsupported) { try await context.exchange(request) }
                try context.expect(server.acceptedConnections, is: 0, "the number of connections")
            }
        }
    }

    /// A transport with the `http2` capability speaks HTTP/2, with the same result as over HTTP/1.1.
    public static let http2Exchanges = Self("http2Exchanges", "a request and its response go through HTTP/2") {
        context in
        let transport = try context.http2Transport()
        let server = try context.track(
            .http2(recording: true) { request in
                .init(
                    201,
                    header: [Field(name: "X-A", value: "1"), Field(name: "X-A", value: "2")],
                    body: request.body
                )
            }
        )
        for size in [0, 1, 70_000, 4 << 20] {
            let body = pattern(size)
            let header: Header = [Field(name: "X-Probe", value: "a \"b\" é")]
            let request = try context.request(.post, server, path: "/a%2Fb?q", header: header, body: .data(body))
            let response = try await transport.send(request)
            try context.expect(response.head.httpVersion, is: .http2, "the version")
            try context.expect(response.head.statusCode, is: 201, "the status")
            try context.expect(response.head.header[values: "X-A"], is: ["1", "2"], "X-A")
            let received = try await response.content.collect(upTo: 8 << 20)
            try context.expect(received == body, "received \(received.count) bytes that differ from \(size) bytes sent")
        }
        for request in server.requests {
            try context.expect(request.line, is: "POST /a%2Fb?q HTTP/2", "the request")
            try context.expect(request.header["X-Probe"], is: "a \"b\" é", "X-Probe")
        }
    }

    /// Concurrent exchanges with an HTTP/2 server don't mix or wait for each other.
    public static let http2Streams = Self("http2Streams", "concurrent HTTP/2 exchanges don't mix or wait") { context in
        let transport = try context.http2Transport()
        let count = 20
        let arrived = Locked(0)
        let all = DispatchSemaphore(value: 0)
        // Responds only after all requests have arrived.
        let server = try context.track(
            .http2 { request in
                let isLast = arrived.withLock { arrived in
                    arrived += 1
                    return arrived == count
                }
                if isLast { for _ in 0..<count { all.signal() } }
                all.wait()
                return .init(200, body: Data(request.path.utf8))
            }
        )
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let request = try context.request(.get, server, path: "/\(number)")
                    let body = try await transport.send(request).content.collect(upTo: 100)
                    try context.expect(body, is: Data("/\(number)".utf8), "the body")
                }
            }
            try await group.waitForAll()
        }
    }
}
