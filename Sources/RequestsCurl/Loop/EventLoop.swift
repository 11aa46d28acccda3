#if canImport(CRequestsCurl)
import CRequestsCurl
import Dispatch
import Requests
import RequestsClient
import RequestsSystem

/// Passes commands from any thread to the thread that calls libcurl.
final class EventLoop: Sendable {
    enum Command: Sendable {
        case start(Transfer, sender: Waiter)
        case cancel(Transfer)
        /// The reader of the response body wants more data.
        case resumeReceiving(Transfer)
        /// The source of the request body has more data.
        case resumeSending(Transfer)
        case report(Promise<TransportStatistics>)
        /// Runs a part of a task on the loop's thread.
        case run(UnownedJob)
        /// Ends the loop, and then resumes the waiter.
        case stop(Waiter?)
    }

    private struct Inbox {
        var commands: [Command] = []
        var isAsleep = false
        var isClosed = false
        /// The waiters for the end of the loop. `nil` after it has ended.
        var stopping: [Waiter?]? = []
    }

    private let inbox = Locked(Inbox())
    private let poller: any Poller

    init(_ settings: Settings) throws(TransportError) {
        let (usesEpoll, quirks) = (settings.configuration.waitsWithEpoll, settings.configuration.quirks)
        poller = try usesEpoll ? EpollPoller(quirks) : MultiPoller(quirks)
        let driver = try LoopDriver(loop: self, poller: poller, settings: settings)
        // The thread retains the driver.
        let context = unsafe Unmanaged.passRetained(driver)
        let error = unsafe crc_start_thread(
            { context in
                guard let context = unsafe context else { return nil }
                let driver = unsafe Unmanaged<LoopDriver>.fromOpaque(context).takeRetainedValue()
                EventLoop.blockSignals()
                unsafe crc_name_thread("Requests.Curl")
                driver.run()
                driver.loop.finish()
                return nil
            },
            unsafe context.toOpaque()
        )
        guard error == 0 else {
            unsafe context.release()
            driver.discard()
            throw .unsupported(unsafe "can't start a thread: \(String(cString: strerror(error))); end some threads")
        }
    }

    /// Rejects the remaining commands, and resumes the waiters for the end.
    private func finish() {
        close()
        for waiter in inbox.withLock({ $0.stopping.take() }) ?? [] { waiter?.resume() }
    }

    /// Blocks signals on the loop's thread, because a write to a closed connection must not end the process with
    /// SIGPIPE. Signals of programming errors still reach their handlers.
    private static func blockSignals() {
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS, SIGABRT] { unsafe sigdelset(&signals, fault) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Passes a command to the loop, or rejects it at once if the loop is closed.
    func submit(_ command: Command) {
        if let driver = LoopDriver.current, driver.loop === self { return driver.submit(command) }
        let (isClosed, mustWake) = inbox.withLock { inbox in
            guard !inbox.isClosed else { return (true, false) }
            inbox.commands.append(command)
            defer { inbox.isAsleep = false }
            return (false, inbox.isAsleep)
        }
        if isClosed { refuse(command) }
        if mustWake { poller.wake() }
    }

    /// Takes the commands since the last call. Marks the loop as awake, so new commands needn't wake it.
    ///
    /// - Parameter commands: An empty array, which is swapped with the commands so that both arrays keep their memory.
    func takeCommands(into commands: inout [Command]) {
        inbox.withLock { inbox in
            inbox.isAsleep = false
            swap(&inbox.commands, &commands)
        }
    }

    /// Returns whether there are no commands. If so, the next command wakes the loop.
    func mayFallAsleep() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = inbox.commands.isEmpty
            return inbox.isAsleep
        }
    }

    /// Rejects the remaining commands and all later ones.
    func close() {
        let rest = inbox.withLock { inbox in
            inbox.isClosed = true
            defer { inbox.commands = [] }
            return inbox.commands
        }
        for command in rest { refuse(command) }
    }

    func refuse(_ command: Command) {
        switch command {
        case .start(let transfer, let sender):
            transfer.result = .failure(TransportError.shutdown(phase: .preparing))
            sender.resume()
        case .stop(let waiter):
            let isOver = inbox.withLock { inbox in
                inbox.stopping?.append(waiter)
                return inbox.stopping == nil
            }
            if isOver { waiter?.resume() }
        // A task must be able to finish even if it outlives the loop.
        case .run(let job):
            DispatchQueue.global().async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        case .report(let statistics): statistics.give(.failure(TransportError.shutdown(phase: .preparing)))
        case .cancel, .resumeReceiving, .resumeSending: break
        }
    }
}

/// Runs tasks on the loop's thread, between two turns of the loop.
extension EventLoop: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { submit(.run(UnownedJob(job))) }
}

extension LoopDriver {
    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    static var current: LoopDriver? {
        get {
            guard let driver = unsafe pthread_getspecific(currentKey) else { return nil }
            return unsafe Unmanaged<LoopDriver>.fromOpaque(driver).takeUnretainedValue()
        }
        set {
            let driver = unsafe newValue.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
            unsafe pthread_setspecific(currentKey, driver)
        }
    }
}
#endif
