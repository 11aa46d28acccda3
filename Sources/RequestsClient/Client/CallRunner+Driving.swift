import Requests

extension CallRunner {
    /// Does what a machine asks for until the call ends.
    ///
    /// - Parameter request: The request, as the call middleware passed it on.
    func drive(_ request: PreparedRequest, of call: Call) async throws -> Response<ResponseBody> {
        var driver = try CallDriver(self, call, request)
        var action = driver.tell(.begin)
        while true {
            guard case .send(let request, let remaining) = action else {
                action = try await driver.prepare(action)
                continue
            }
            var response: Response<ResponseBody>
            do {
                call.logger?.attempts(request)
                let context = SendContext(
                    remaining: remaining,
                    attempt: driver.machine.attempt,
                    observer: call.observer(of: request)
                )
                response =
                    isAlone(with: call)
                    ? try await transport.send(request, context: context)
                    : try await send(request, context, driver.machine.identity, call)
                // The transport doesn't know which query items of the request's URL are secret.
                if !request.url.sensitiveNames.isEmpty {
                    response.head.url = response.head.url.redacting(sameAs: request.url)
                }
            } catch {
                action = driver.tell(.failed(error))
                continue
            }
            call.logger?.receives(response.head)
            action = driver.tell(.response(response.head, isDecoded: response.content.isDecoded))
            if case .deliver = action {} else { action = await driver.finish(action, &response) }
            guard case .deliver(let history) = action else { continue }
            if !history.isEmpty { response.history = history + response.history }
            return response
        }
    }
}

/// The rare actions, apart from the loop, because every call would pay for the size of their frames.
struct CallDriver {
    private let runner: CallRunner
    private let call: Call
    private(set) var machine: CallMachine
    private var environment: ClientEnvironment
    private var flow: any AuthenticationFlow = NoFlow()

    init(_ runner: CallRunner, _ call: Call, _ request: PreparedRequest) throws {
        self.runner = runner
        self.call = call
        let settings = try call.settings(for: request, runner)
        machine = CallMachine(request, settings, resuming: call.sink?.resumption())
        environment = ClientEnvironment(runner, elapsed: call.elapsed)
    }

    mutating func tell(_ event: CallMachine.Event) -> CallMachine.Action {
        machine.next(event, in: &environment)
    }

    /// Does what comes before a request.
    @inline(never)
    mutating func prepare(_ action: CallMachine.Action) async throws -> CallMachine.Action {
        if case .fail(let error) = action { throw error }
        do {
            switch action {
            case .authenticate(let request):
                let started = try await runner.start(machine.settings.authentication.makeFlow(), request, call)
                flow = started.flow
                return tell(.authenticated(started.request))
            case .wait(let delay):
                if let reason = machine.retryReason { call.logger?.retries(after: delay, reason) }
                try await runner.sleep(for: delay)
                return tell(.waited)
            // The machine asks for the others only while there is a response.
            case .send, .challenge, .receive, .discard, .deliver, .fail:
                return tell(.failed(CallMachine.unexpectedEvent))
            }
        } catch {
            return tell(.failed(error))
        }
    }

    /// Does what a response needs. It is read or closed unless it is delivered.
    @inline(never)
    mutating func finish(
        _ start: CallMachine.Action,
        _ response: inout Response<ResponseBody>
    ) async -> CallMachine.Action {
        var action = start
        do {
            while true {
                switch action {
                case .challenge(let head):
                    let answer = try await runner.next(of: flow, after: head, call)
                    flow = answer.flow
                    action = tell(.challenged(answer.step))
                case .receive(let commit):
                    action = tell(.received(bytes: try await response.receive(commit, of: machine, call)))
                case .discard(let maximumBytes, let timeout):
                    let clock = runner.configuration.drainingClock
                    await response.discard(upTo: maximumBytes, within: timeout, of: machine.request.method, on: clock)
                    try CallScope.checkCancellation()
                    return tell(.discarded)
                case .deliver: return action
                default:
                    response.content.cancel()
                    return action
                }
            }
        } catch {
            response.content.cancel()
            return tell(.failed(error, receivedBytes: call.sink?.partBytes ?? 0))
        }
    }
}
