#if os(Linux) || os(macOS)
import RequestsConformance
import RequestsTesting
import Testing

@testable import RequestsCurl

@Suite("Hostile servers over HTTP/3", .timeLimit(.minutes(10)), .enabled(if: HTTP3.isTested, HTTP3.reason))
struct HostileHTTP3Tests {
    /// What becomes of a request.
    enum Outcome: Equatable, CustomStringConvertible {
        case response(Int, String)
        case failure(TransportError.Code, mayHaveBeenProcessed: Bool)

        var description: String {
            switch self {
            case .response(let status, let body): "\(status) \(body.prefix(40))"
            case .failure(let code, let mayHaveBeenProcessed): "\(code), \(mayHaveBeenProcessed ? "sent" : "unsent")"
            }
        }
    }

    /// What a server does, and what becomes of a request to it.
    struct Row: CustomTestStringConvertible {
        let path: String
        let outcome: Outcome
        var method = HTTPMethod.get

        var testDescription: String { "\(method) /\(path)" }
    }

    private func outcome(of request: PreparedRequest, over transport: CurlTransport) async -> Outcome {
        do {
            let response = try await transport.send(request)
            #expect(!response.head.header.contains("X-B"))
            let body = try await response.content.collect(upTo: .max)
            return .response(response.head.statusCode, String(decoding: body, as: UTF8.self))
        } catch let error as TransportError {
            return .failure(error.code, mayHaveBeenProcessed: error.requestMayHaveBeenProcessed)
        } catch {
            Issue.record(error)
            return .failure(.closed, mayHaveBeenProcessed: true)
        }
    }

    private static let server = Result { try HTTP3Server() }

    static let rows: [Row] = [
        Row(path: "ok", outcome: .response(200, "ok")),
        Row(path: "trailers", outcome: .response(200, "ok")),
        Row(path: "migrate", outcome: .response(200, "ok")),
        Row(path: "unknown-frames", outcome: .response(200, "ok")),
        Row(path: "empty-data", outcome: .response(200, "ok")),
        Row(path: "informational?20", outcome: .response(200, "ok")),
        // A flood of heads.
        Row(path: "informational?20000", outcome: .failure(.tooLarge, mayHaveBeenProcessed: true)),
        // Each error of a stream, before and after the head.
        Row(path: "reset?100", outcome: .failure(.closed, mayHaveBeenProcessed: true)),
        Row(path: "reset?102", outcome: .failure(.closed, mayHaveBeenProcessed: true)),
        Row(path: "reset?10c", outcome: .failure(.closed, mayHaveBeenProcessed: true)),
        Row(path: "reset?10b", outcome: .failure(.closed, mayHaveBeenProcessed: false)),
        Row(path: "reset?10b", outcome: .failure(.closed, mayHaveBeenProcessed: false), method: .post),
        // libcurl takes a reset without an error as the end. Only a Content-Length shows that something is missing.
        Row(path: "reset-body?100", outcome: .response(200, "half")),
        Row(path: "reset-body?102", outcome: .failure(.truncated, mayHaveBeenProcessed: true)),
        Row(path: "nothing-sent", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        // Each error of a connection.
        Row(path: "close?100", outcome: .failure(.closed, mayHaveBeenProcessed: true)),
        Row(path: "close?102", outcome: .failure(.closed, mayHaveBeenProcessed: true)),
        Row(path: "close?107", outcome: .failure(.closed, mayHaveBeenProcessed: true), method: .post),
        Row(path: "close-transport?1", outcome: .failure(.closed, mayHaveBeenProcessed: true)),
        Row(path: "close-transport?a", outcome: .failure(.closed, mayHaveBeenProcessed: true)),
        Row(path: "close-body?100", outcome: .failure(.truncated, mayHaveBeenProcessed: true)),
        Row(path: "close-body?102", outcome: .failure(.truncated, mayHaveBeenProcessed: true)),
        // Lengths that aren't true.
        Row(path: "short", outcome: .failure(.truncated, mayHaveBeenProcessed: true)),
        Row(path: "long", outcome: .failure(.truncated, mayHaveBeenProcessed: true)),
        Row(path: "two-lengths", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        // Broken field sections.
        Row(path: "garbage", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        Row(path: "uppercase", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        Row(path: "no-status", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        Row(path: "bad-status", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        Row(path: "late-pseudo", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        Row(path: "connection-field", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        // nghttp3 drops the field, and says so to no one.
        Row(path: "line-break", outcome: .response(200, "")),
        Row(path: "huge-head", outcome: .failure(.tooLarge, mayHaveBeenProcessed: true)),
        // Frames out of place.
        Row(path: "data-first", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        Row(path: "settings", outcome: .failure(.malformed, mayHaveBeenProcessed: true)),
        Row(path: "silent", outcome: .failure(.timedOut(.idle), mayHaveBeenProcessed: true)),
        Row(path: "silent-body", outcome: .failure(.timedOut(.idle), mayHaveBeenProcessed: true)),
        Row(path: "goaway", outcome: .failure(.timedOut(.idle), mayHaveBeenProcessed: true)),
        Row(path: "early", outcome: .response(200, "early"), method: .post),
        Row(path: "early-read", outcome: .response(200, "early"), method: .post),
        Row(path: "stall", outcome: .failure(.timedOut(.idle), mayHaveBeenProcessed: true), method: .post),
    ]

    @Test("A server that breaks the rules of HTTP/3 gets the right error", arguments: HostileHTTP3Tests.rows)
    func hostile(row: Row) async throws {
        let server = try HostileHTTP3Tests.server.get()
        let transport = try HTTP3.transport()
        var request = try server.request(row.path, row.method)
        if row.method == .post { request.body = .data(Data(repeating: 1, count: 300_000)) }
        let timeout = Outcome.failure(.timedOut(.idle), mayHaveBeenProcessed: true)
        if row.outcome == timeout { request.options.timeouts.idle = .seconds(4) }
        let found = await outcome(of: request, over: transport)
        #expect(found == row.outcome)
        if row.path == "early-read" {
            #expect(await outcome(of: try server.request("count"), over: transport) == .response(200, "300000"))
        }
        // The transport still works.
        #expect(await outcome(of: try server.request("ok"), over: transport) == .response(200, "ok"))
    }
}
#endif
