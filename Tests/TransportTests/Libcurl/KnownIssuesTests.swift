import RequestsTesting
import Testing

@testable import RequestsCurl

/// Defects that are known and not fixed yet.
@Suite("Known issues over libcurl", .timeLimit(.minutes(5)))
struct KnownIssuesTests {
    private func client(_ change: (inout CurlTransport.Configuration) -> Void) throws -> Client {
        var configuration = CurlTransport.Configuration()
        change(&configuration)
        return Client(transport: try CurlTransport(configuration: configuration))
    }

    @Test("Two connections over a Unix domain socket are both kept", .enabled(if: Nginx.socket != nil))
    func unixSockets() async throws {
        let client = try client { $0.connections.unixSocket = Nginx.socket }
        let api = BaseURL("http://anything.example.com")
        let held = try await client.stream(api.get(.data, from: "/bytes/16m"))
        let second = try await client.send(api.get(.text, from: "/connection"))
        _ = try await held.content.collect(upTo: 16 << 20)
        var used: Set = [second]
        for _ in 0..<4 { used.insert(try await client.send(api.get(.text, from: "/connection"))) }
        withKnownIssue("libcurl before 8.2 doesn't tell connections without a port apart, so none is reused") {
            #expect(used.count <= 2)
        } when: {
            LinkedLibcurl.version < 802
        }
    }

    @Test("A TLS session at the address of an ended one keeps its close_notify", .enabled(if: OpenSSL.reportsClosure))
    func sessionAddress() throws {
        typealias Pointer = UnsafeMutableRawPointer
        typealias Method = @convention(c) () -> Pointer?
        typealias Create = @convention(c) (Pointer?) -> Pointer?
        typealias Free = @convention(c) (Pointer?) -> Void
        typealias Callback = @convention(c) (Pointer?, CInt, CInt) -> Void
        typealias Read = @convention(c) (Pointer?) -> Callback?
        let method = try OpenSSL.find("TLS_method", as: Method.self)
        let create = try OpenSSL.find("SSL_CTX_new", as: Create.self)
        let free = try OpenSSL.find("SSL_CTX_free", as: Free.self)
        let read = try OpenSSL.find("SSL_CTX_get_info_callback", as: Read.self)
        let context = create(method())
        defer { free(context) }
        _ = OpenSSL.prepareContext(nil, context, nil)
        let callback = try #require(read(context))
        let session = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        defer { session.deallocate() }
        OpenSSL.watch(session)
        // libcurl has freed the session, and makes the next one before the first transfer ends.
        OpenSSL.watch(session)
        _ = OpenSSL.unwatch(session)
        callback(session, 0x4004, 0)
        withKnownIssue("The end of a transfer also ends the watch over a new session with the same address") {
            #expect(OpenSSL.unwatch(session))
        }
    }
}
