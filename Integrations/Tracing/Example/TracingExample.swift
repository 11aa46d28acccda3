import Foundation
import InMemoryTracing
import RequestsCurl
import RequestsTesting
import RequestsTracing
import Synchronization
import Tracing

/// Traces calls with swift-distributed-tracing. A program sets up the instrumentation system with a tracer that exports
/// to OpenTelemetry; this one keeps the spans and prints them as a tree.
@main
struct TracingExample {
    static func main() async throws {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)

        let server = try PeopleServer.start()
        let api = BaseURL(server.baseURL)
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.milliseconds(10), limit: 1)
        configuration.trace()
        let client = Client(transport: CurlTransport.shared, configuration: configuration)

        try await withSpan("show people") { _ in
            let request = api.get(.text, from: "/people").with(query: ["token": "s3cret"])
            print("    response: \(try await client.send(request))")
            _ = await client.result(of: api.get(.text, from: "/missing"))
        }

        print("\nThe trace:")
        SpanTree(spans: tracer.finishedSpans).show()
        withExtendedLifetime(server) {}
    }
}

/// A server that redirects, and is unavailable at first.
private enum PeopleServer {
    private static let isReady = Atomic(false)

    static func start() throws -> LoopbackServer {
        try LoopbackServer.http { request in
            print("    server: \(request.path) of span \(request.header[Field.Name(InMemoryTracer.spanIDKey)] ?? "-")")
            switch request.path {
            case "/people": return .init(302, header: [Field(name: .location, value: "/persons")])
            case "/persons" where !isReady.exchange(true, ordering: .relaxed): return .init(503)
            case "/persons": return .init(200, .plainText, "Ada, Grace")
            default: return .init(404)
            }
        }
    }
}

/// Finished spans as a tree.
private struct SpanTree {
    let spans: [FinishedInMemorySpan]

    private static let shown = [
        "url.full", "http.response.status_code", "http.request.resend_count", "network.protocol.version", "error.type",
    ]

    func show(below parent: String? = nil, indent: String = "") {
        let children = spans.filter { $0.parentSpanID == parent }
            .sorted { $0.startInstant.nanosecondsSinceEpoch < $1.startInstant.nanosecondsSinceEpoch }
        for span in children {
            print("\(indent)\(span.operationName) (\(span.kind), \(span.spanID))")
            for name in SpanTree.shown {
                if let value = span.attributes[name] { print("\(indent)  \(name): \(text(value))") }
            }
            show(below: span.spanID, indent: indent + "    ")
        }
    }

    private func text(_ value: any SpanAttributeConvertible) -> String {
        switch value.toSpanAttribute() {
        case .string(let text): text
        case .int64(let number): "\(number)"
        default: "\(value)"
        }
    }
}
