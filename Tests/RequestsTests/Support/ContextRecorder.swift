import RequestsTesting

/// Records what a client tells its transport about each attempt.
struct ContextRecorder: Transport {
    let transport: any Transport
    private let recorder = Recorder<Duration?>()

    init(_ transport: any Transport) {
        self.transport = transport
    }

    var capabilities: TransportCapabilities { transport.capabilities }

    /// The time that was left for each attempt.
    var remaining: [Duration?] { recorder.recorded }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        recorder.record(context.deadline.remaining)
        return try await transport.send(request, context: context)
    }
}
