import Foundation
import RequestsTesting
import RequestsTracing
import Testing

@Suite("Trace context", .timeLimit(.minutes(5)))
struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test("A context is read and written")
    func roundTrip() throws {
        let header: Header = [
            "traceparent": "00-\(Self.trace)-\(Self.span)-01", "tracestate": "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE",
        ]
        let context = try #require(TraceContext(header))
        #expect(context.traceID == Self.trace)
        #expect(context.spanID == Self.span)
        #expect(context.isSampled)
        #expect(context.state == ["rojo=00f067aa0ba902b7", "congo=t61rcWkgMzE"])
        var written: Header = []
        written.set(context)
        #expect(TraceContext(written) == context)
    }

    @Test(
        "An invalid parent is no context",
        arguments: [
            "", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-x", "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01",
            "00-\(String(repeating: "0", count: 32))-\(span)-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span)-0g", "00-\(trace)-\(span)-1",
        ]
    )
    func invalidParents(parent: String) {
        #expect(TraceContext([Field(name: .traceParent, value: parent)]) == nil)
    }

    @Test("Parts of later versions are ignored, two parents are no context")
    func versions() {
        let later = Field(name: .traceParent, value: "cc-\(Self.trace)-\(Self.span)-00-what-ever")
        #expect(TraceContext([later])?.isSampled == false)
        #expect(TraceContext([later, later]) == nil)
    }

    @Test("Invalid state is dropped", arguments: ["a", "A=1", "a=1,a=2", "a=", "=1", "a=b=c", "\u{E9}=1"])
    func invalidState(state: String) {
        let parent = Field(name: .traceParent, value: "00-\(Self.trace)-\(Self.span)-01")
        #expect(TraceContext([parent, Field(name: .traceState, value: state)])?.state.isEmpty == true)
    }

    @Test("Setting a context replaces both fields, even if it has no state")
    func replacing() throws {
        var header: Header = ["traceparent": "00-\(Self.trace)-\(Self.span)-01", "tracestate": "a=1"]
        header.set(try #require(TraceContext(traceID: Self.trace, spanID: String(Self.span.reversed()))))
        #expect(header[.traceState] == nil)
        #expect(header[values: .traceParent].count == 1)
    }

    @Test("State has at most 32 entries, and keys and values have at most 256 characters", arguments: [0, 1])
    func limits(excess: Int) {
        let parent = Field(name: .traceParent, value: "00-\(Self.trace)-\(Self.span)-01")
        let entries = (0..<32 + excess).map { "k\($0)=\($0)" }.joined(separator: ",")
        let long = String(repeating: "a", count: 256 + excess)
        for (text, count) in [(entries, 32), ("\(long)=1", 1), ("a=\(long)", 1)] {
            let context = TraceContext([parent, Field(name: .traceState, value: text)])
            #expect(context?.state.count == (excess == 0 ? count : 0))
        }
    }

    @Test("A new entry comes first and replaces the old one, and the 33rd is dropped")
    func state() throws {
        var context = try #require(TraceContext(traceID: Self.trace, spanID: Self.span))
        for index in 0..<33 { try context.setState("\(index)", for: "k\(index)") }
        #expect(context.state.count == 32)
        #expect(context.state.first == "k32=32")
        try context.setState("new", for: "k5")
        #expect(context.state.first == "k5=new")
        #expect(context.state.filter { $0.hasPrefix("k5=") }.count == 1)
        #expect(throws: RequestError.self) { try context.setState("a,b", for: "k") }
        #expect(throws: RequestError.self) { try context.setState("a", for: "K") }
    }

    @Test("A child has the trace and the state of its parent and another span")
    func children() throws {
        var generator = SystemRandomNumberGenerator()
        var root = TraceContext.root(isSampled: false, using: &generator)
        try root.setState("1", for: "a")
        let child = root.child(using: &generator)
        #expect(child.traceID == root.traceID)
        #expect(child.spanID != root.spanID)
        #expect(!child.isSampled)
        #expect(child.state == ["a=1"])
        #expect(TraceContext(traceID: root.traceID, spanID: child.spanID) != nil)
    }

    @Test("A call continues the current trace or starts one, and keeps a context of its request")
    func middleware() async throws {
        let parent = try #require(
            TraceContext(Header(["traceparent": "00-\(String(repeating: "a", count: 32))-bbbbbbbbbbbbbbbb-01"]))
        )
        let api = BaseURL("https://a.example")
        let server = StubTransport { request in try .stub(200, for: request) }
        var configuration = Client.Configuration()
        configuration.middleware = [TraceMiddleware(random: { 0x0102_0304_0506_0708 }) { parent }]
        try await Client(transport: server, configuration: configuration).send(api.get(.none, from: "/"))
        configuration.middleware = [TraceMiddleware { nil }]
        let client = Client(transport: server, configuration: configuration)
        try await client.send(api.get(.none, from: "/"))
        try await client.send(api.get(.none, from: "/").setting(.traceParent, "own"))
        let sent = server.requests.map { $0.header[.traceParent] }
        #expect(sent[0]?.hasPrefix("00-\(parent.traceID)-") == true)
        #expect(sent[0]?.contains(parent.spanID) == false)
        #expect(TraceContext(server.requests[1].header) != nil)
        #expect(sent[2] == "own")
    }
}
