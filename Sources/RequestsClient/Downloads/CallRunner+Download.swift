import Requests

extension CallRunner {
    func download(
        _ input: some PreparableRequest,
        to file: URL,
        resume: Bool,
        progress: Progress?
    ) async throws -> Response<URL> {
        var call = try call(input)
        let validation = validation(of: call, input.responseDecoder.rules)
        call.settings.commit = .file
        call.settings.accepts = { validation.accepts($0) }
        let download = try reporting(call) {
            try Download(
                call.request,
                to: file,
                canResume: resume,
                progress: progress.map { ProgressReporter($0, configuration) }
            )
        }
        call.sink = download
        do {
            let response = try await run(call) { response in
                guard response.content.isFinishedFile || validation.accepts(response.head) else {
                    throw try await response.rejection(by: validation)
                }
                try await download.save(response)
                return response.replacingReadBody(with: download.file)
            }
            call.logger?.succeeded(response.head, receivedBytes: Int(download.receivedBytes), metrics: response.metrics)
            return response
        } catch {
            download.leave()
            throw error
        }
    }

    private func reporting<Result>(_ call: PreparedCall, _ operation: () throws -> Result) throws -> Result {
        do {
            return try operation()
        } catch {
            report(error, of: call)
            throw error
        }
    }
}
