import RequestsClient
import Tracing

/// A span of a call or of one of its requests, with the attributes of OpenTelemetry.
struct HTTPSpan: Sendable {
    private let span: any Span

    init(_ span: any Span, of request: PreparedRequest) {
        self.span = span
        // Saves the work for spans that aren't sampled, which most aren't.
        guard span.isRecording else { return }
        let origin = request.url.origin
        span.updateAttributes { attributes in
            attributes["http.request.method"] = request.method.semanticName ?? "_OTHER"
            if request.method.semanticName == nil {
                attributes["http.request.method_original"] = request.method.rawValue
            }
            attributes["server.address"] = origin.host.filter { $0 != "[" && $0 != "]" }
            attributes["server.port"] = origin.port
            // The URL's description redacts credentials.
            attributes["url.full"] = request.url.description
            if let operation = request.operation { attributes["url.template"] = operation }
        }
    }

    var context: ServiceContext { span.context }

    /// - Parameter resendCount: The number of earlier requests of the call. The attribute isn't set if it is 0.
    func set(resendCount: Int) {
        if resendCount > 0 { span.attributes["http.request.resend_count"] = resendCount }
    }

    /// Runs an operation with the span as the current one, records the result, and ends the span.
    func run(_ operation: () async throws -> Response<ResponseBody>) async throws -> Response<ResponseBody> {
        defer { span.end() }
        do {
            let response = try await ServiceContext.$current.withValue(span.context) { try await operation() }
            record(response.head)
            return response
        } catch {
            record(RecordedError(error))
            throw error
        }
    }

    private func record(_ head: ResponseHead) {
        span.updateAttributes { attributes in
            attributes["http.response.status_code"] = head.statusCode
            if let version = head.httpVersion {
                attributes["network.protocol.version"] = version.semanticName
            }
            if head.statusCode >= 400 { attributes["error.type"] = "\(head.statusCode)" }
        }
        if head.statusCode >= 400 { span.setStatus(SpanStatus(code: .error)) }
    }

    private func record(_ error: RecordedError) {
        span.attributes["error.type"] = error.code
        // Set explicitly, because tracers would use the type `RecordedError`.
        span.recordError(error, attributes: ["exception.type": .string(error.type)])
        span.setStatus(SpanStatus(code: .error, message: error.description))
    }
}

extension PreparedRequest {
    /// The method and the operation, such as `GET /users/{}`. A request of a redirect has no operation.
    var spanName: String { [method.semanticName ?? "HTTP", operation].compactMap(\.self).joined(separator: " ") }
}

extension HTTPMethod {
    private static let known: Set<HTTPMethod> = [
        .connect, .delete, .get, .head, .options, .patch, .post, .put, "QUERY", .trace,
    ]

    /// The method's name. `nil` if OpenTelemetry doesn't define it, because unlimited names would overload a tracer.
    var semanticName: String? { HTTPMethod.known.contains(self) ? rawValue : nil }
}

extension HTTPVersion {
    /// The version in OpenTelemetry's form, such as `1.1` or `2`.
    fileprivate var semanticName: String { major >= 2 && minor == 0 ? "\(major)" : "\(major).\(minor)" }
}
