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
        do {
            let reporter = progress.map { ProgressReporter($0, configuration) }
            let download = try Download(call.request, to: file, canResume: resume, progress: reporter)
            call.sink = download
            let response = try await state.calls.run { [self, call] in
                try await complete(download, call, validation)
            }
            call.logger?.succeeded(
                response.head,
                receivedBytes: Int(download.receivedBytes),
                metrics: response.metrics
            )
            return response
        } catch {
            report(error, of: call)
            throw error
        }
    }

    private func complete(
        _ download: Download,
        _ call: Call,
        _ validation: ResponseValidation
    ) async throws -> Response<URL> {
        do {
            let response = try await exchange(call)
            guard response.content.isFinishedFile || validation.accepts(response.head) else {
                throw try await response.rejection(by: validation)
            }
            try await download.save(response)
            return response.replacingReadBody(with: download.file)
        } catch {
            download.leave()
            throw error
        }
    }
}
