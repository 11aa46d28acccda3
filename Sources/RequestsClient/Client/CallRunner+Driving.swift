import Requests

extension CallRunner {
    /// Does what a machine asks for until the call ends.
    ///
    /// - Parameter request: The request, as the call middleware passed it on.
    func drive(_ request: PreparedRequest, of call: Call) async throws -> Response<ResponseBody> {
        var driver = try CallDriver(self, call, request)
        var event = CallMachine.Event.begin
        while true {
            let action = driver.next(event)
            if case .deliver(let history) = action { return try driver.deliver(history) }
            if case .fail(let error) = action { throw error }
            do {
                guard case .send(let request, let remaining) = action else {
                    event = try await perform(action, of: call, &driver)
                    continue
                }
                call.logger?.attempts(request)
                let attempt = driver.machine.attempt
                let context = SendContext(remaining: remaining, attempt: attempt, observer: call.observer(of: request))
                let response =
                    isAlone(with: call)
                    ? try await transport.send(request, context: context)
                    : try await send(request, context, driver.machine.identity, call)
                event = driver.receive(response, to: request)
                if let head = driver.response?.head { call.logger?.receives(head) }
            } catch {
                event = .failed(error, receivedBytes: call.sink?.partBytes ?? 0)
            }
        }
    }

    /// Does anything but sending. Apart, because every call would pay for the size of the frame.
    @inline(never)
    private func perform(
        _ action: CallMachine.Action,
        of call: Call,
        _ driver: inout CallDriver
    ) async throws -> CallMachine.Event {
        switch action {
        case .authenticate(let request):
            let flow = driver.machine.settings.authentication.makeFlow()
            let started = try await start(flow, request, call)
            driver.flow = started.flow
            return .authenticated(started.request)
        case .challenge(let head):
            let answer = try await next(of: driver.flow, after: head, call)
            driver.flow = answer.flow
            return .challenged(answer.step)
        case .receive(let commit):
            let machine = driver.machine
            return .received(bytes: try await driver.response?.receive(commit, of: machine, call) ?? 0)
        case .discard(let maximumBytes, let timeout):
            let (method, clock) = (driver.machine.request.method, configuration.drainingClock)
            await driver.response?.discard(upTo: maximumBytes, within: timeout, of: method, on: clock)
            try CallScope.checkCancellation()
            return .discarded
        case .wait(let delay):
            if let reason = driver.machine.retryReason { call.logger?.retries(after: delay, reason) }
            try await CallRunner.wait(for: delay, on: configuration.clock)
            return .waited
        case .send, .deliver, .fail: throw CallMachine.unexpectedEvent
        }
    }
}

/// The state of a call between the actions of its machine.
private struct CallDriver {
    private(set) var machine: CallMachine
    private var environment: ClientEnvironment
    var flow: any AuthenticationFlow = NoFlow()
    /// The response that isn't discarded or delivered yet.
    var response: Response<ResponseBody>?

    init(_ runner: CallRunner, _ call: Call, _ request: PreparedRequest) throws {
        let settings = try call.settings(for: request, runner)
        machine = CallMachine(request, settings, resuming: call.sink?.resumption())
        environment = ClientEnvironment(runner, elapsed: call.elapsed)
    }

    /// Returns the next action. If the action doesn't need the response, cancels its body to free the connection.
    mutating func next(_ event: CallMachine.Event) -> CallMachine.Action {
        let action = machine.next(event, in: &environment)
        switch action {
        case .challenge, .receive, .discard, .deliver: break
        case .authenticate, .send, .wait, .fail:
            response?.content.cancel()
            response = nil
        }
        return action
    }

    mutating func receive(_ response: Response<ResponseBody>, to request: PreparedRequest) -> CallMachine.Event {
        var response = response
        // The transport doesn't know which query items of the request's URL are secret.
        if !request.url.sensitiveNames.isEmpty {
            response.head.url = response.head.url.redacting(sameAs: request.url)
        }
        self.response = response
        return .response(response.head, isDecoded: response.content.isDecoded)
    }

    func deliver(_ history: [ResponseHead]) throws -> Response<ResponseBody> {
        guard var response else { throw CallMachine.unexpectedEvent }
        if !history.isEmpty { response.history = history + response.history }
        return response
    }
}
