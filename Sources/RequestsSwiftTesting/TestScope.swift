import Requests
import RequestsClient
import RequestsTesting
import Testing

/// The transport of a running test, and the messages that were sent over it.
final class TestScope: Sendable {
    let transport: any Transport
    private let messages = Locked<[String]>([])
    private let isOver = Locked(false)

    init(_ transport: any Transport) {
        self.transport = transport
    }

    /// Whether the test has ended, so that its transport can't send for it.
    var hasEnded: Bool { isOver.withLock { $0 } }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        let index = messages.withLock { messages in
            messages.append("\(request.httpMessage())\n\n(no response)\n")
            return messages.count - 1
        }
        do {
            let response = try await transport.sendWithCall(request, context: context)
            note("HTTP \(response.head.statusCode)\n\(response.head.header)\n", of: request, at: index)
            return response
        } catch {
            note("(\(Redaction.reason(error)))\n", of: request, at: index)
            throw error
        }
    }

    private func note(_ outcome: String, of request: PreparedRequest, at index: Int) {
        messages.withLock { $0[index] = "\(request.httpMessage())\n\n\(outcome)" }
    }

    /// Runs a test, and attaches the messages if it fails.
    ///
    /// - Parameter check: Called after the test, unless the test throws an error.
    func run(
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @Sendable () async throws -> Void,
        check: @escaping @Sendable () -> Void = {}
    ) async throws {
        defer { isOver.withLock { $0 = true } }
        let hasFailed = Locked(false)
        let observer: IssueHandlingTrait = .compactMapIssues { issue in
            hasFailed.withLock { $0 = true }
            return issue
        }
        do {
            try await observer.provideScope(for: test, testCase: testCase) {
                try await TestTransport.$scope.withValue(self) { try await function() }
                check()
            }
        } catch {
            attachMessages(to: test)
            throw error
        }
        if hasFailed.withLock({ $0 }) { attachMessages(to: test) }
    }

    private func attachMessages(to test: Test) {
        let messages = messages.withLock { $0 }
        guard !messages.isEmpty else { return }
        Attachment.record(
            messages.joined(separator: "\n"),
            named: "messages.http",
            sourceLocation: test.sourceLocation
        )
    }
}
