import Foundation
import Requests

extension CallRunner {
    func download(_ input: some CallInput, _ download: Download) async throws -> Response<URL> {
        let call = try call(input, collectsBody: false)
        let validation = validation(of: call, input.decoder.rules)
        do {
            return try await state.calls.run { [self] in try await complete(download, call, validation) }
        } catch {
            report(error, of: call)
            throw error
        }
    }

    private func complete(
        _ start: Download,
        _ call: Call,
        _ validation: ResponseValidation
    ) async throws -> Response<URL> {
        var download = start
        do {
            let response = try await request(&download, call, validation).replacingReadBody(with: download.file)
            call.logger?.succeeded(response.head, receivedBytes: download.receivedBytes, metrics: response.metrics)
            return response
        } catch {
            download.fail()
            throw error
        }
    }

    /// Requests the file, and the rest of it, until it is complete.
    ///
    /// - Returns: The last response.
    private func request(
        _ download: inout Download,
        _ call: Call,
        _ validation: ResponseValidation
    ) async throws -> Response<ResponseBody> {
        let attempts = AttemptHistory()
        var call = call
        call.attempts = attempts
        while true {
            var request = call.request
            try download.prepare(&request)
            let response = try await exchange(request, call)
            call.hasBegun = true
            do {
                if download.cannotContinue(with: response) {
                    response.content.cancel()
                    download.restart()
                } else if try await write(response, of: request.url, &download, validation) {
                    return response
                }
            } catch {
                response.content.cancel()
                // Only a body that breaks off is a reason to repeat the request.
                guard download.isReceiving, error is TransportError,
                    let delay = delay(before: request, after: error, attempts.value.retries, call)
                else { throw error }
                call.logger?.retries(after: delay, .failure(error))
                try await sleep(for: delay)
                attempts.value = AttemptHistory.Value(retries: attempts.value.retries + 1, mayHaveBeenProcessed: true)
            }
        }
    }

    /// Returns the time to wait before a body that broke off is requested again. `nil` if it isn't.
    private func delay(
        before request: PreparedRequest,
        after error: any Error,
        _ retries: Int,
        _ call: Call
    ) -> Duration? {
        let step = call.retries.step(
            after: .failure(error),
            to: request,
            retries: retries,
            random: configuration.random,
            now: configuration.date
        )
        guard case .retry(let delay) = step, call.deadline?.allows(delay) ?? true else { return nil }
        return delay
    }

    /// Writes the body, away from the caller's actor because writing blocks.
    ///
    /// - Returns: Whether the file is complete.
    @concurrent
    private func write(
        _ response: Response<ResponseBody>,
        of url: RequestURL,
        _ download: inout Download,
        _ validation: ResponseValidation
    ) async throws -> Bool {
        if download.isComplete(after: response.head) {
            response.content.cancel()
        } else {
            guard try configuration.validation.accepts(download.validated(response.head)) else {
                throw try await response.rejection(by: validation)
            }
            guard try await download.write(response, of: url) else { return false }
        }
        try download.finish(response.head)
        return true
    }
}
