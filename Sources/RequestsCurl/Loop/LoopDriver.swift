#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

/// The code that runs on the loop's thread, which alone calls libcurl and owns its handles.
///
/// Variables that change with each exchange have unchecked exclusivity, as explained at ``Transfer``.
@safe final class LoopDriver {
    let settings: Settings
    let poller: any Poller
    let clock = LoopClock()
    /// Whether it lets libcurl try to use each connection, whether or not anything has happened to it.
    private(set) var servesAll = false
    /// The last head.
    @safe @exclusivity(unchecked) var knownHead: KnownHead?
    let loop: EventLoop
    private(set) var multi: UnsafeMutableRawPointer
    /// Idle handles with large and small buffers, because reusing a configured handle is cheaper than creating one.
    @safe @exclusivity(unchecked) private var handles = (large: [EasyHandle](), small: [EasyHandle]())
    private static let idleHandleLimit = 128
    /// The transfers that libcurl works on, each at the index in its `place`.
    @safe @exclusivity(unchecked) private(set) var transfers: [Transfer] = []

    /// The transfers whose senders are resumed at the end of a turn, after all data that arrived together was read.
    @safe @exclusivity(unchecked) var resumable: [Transfer] = []

    /// The transfers with gathered data for their readers.
    @safe @exclusivity(unchecked) var gathering: [Transfer] = []

    let connections: Connections
    var proxySessions = ProxySessions()
    @safe @exclusivity(unchecked) var counts = Counts()

    /// The commands from the loop's own thread, submitted by callbacks and by tasks that run on it.
    @safe @exclusivity(unchecked) private var ownCommands: [EventLoop.Command] = []
    private var isStopping = false

    /// The maximum number of times per turn that ``ownCommands`` are performed before the sockets are served.
    private static let roundLimit = 8

    /// The time of the next timeout, in nanoseconds of the loop's clock.
    @safe @exclusivity(unchecked) var sweepDeadline: UInt64?

    /// Creates a driver. The caller must call ``run()`` or ``discard()``.
    init(loop: EventLoop, poller: any Poller, settings: Settings) throws(TransportError) {
        guard let multi = unsafe curl_multi_init() else { throw .outOfMemory(creating: "a transport") }
        self.loop = loop
        self.poller = poller
        self.settings = settings
        connections = Connections(settings.configuration)
        unsafe self.multi = multi
        configureMulti()
    }

    /// Runs the loop on the calling thread until the loop is stopped.
    func run() {
        LoopDriver.current = self
        var commands: [EventLoop.Command] = []
        while !isStopping {
            poller.wait(until: hasWork || !loop.mayFallAsleep() ? 0 : sweepDeadline)
            recoverFromFailure()
            loop.takeCommands(into: &commands)
            perform(&commands)
            // This way a response, the task that it resumes and that task's next request need only one turn.
            for _ in 0..<LoopDriver.roundLimit where !ownCommands.isEmpty {
                swap(&ownCommands, &commands)
                perform(&commands)
            }
        }
        shutdown()
    }

    /// Performs commands, and then handles everything that they and the socket events caused.
    private func perform(_ commands: inout [EventLoop.Command]) {
        if !commands.isEmpty { poller.noteProgress() }
        for command in commands { perform(command) }
        commands.removeAll(keepingCapacity: true)
        poller.work()
        while addReleased() { poller.work() }
        if settings.configuration.quirks.holdsBackData { deliverHeldBackData() }
        recoverFromFailure()
        if let deadline = sweepDeadline, deadline <= clock.now { sweep() }
        finishTransfers()
        while let connection = connections.takeLeft() { crc_end_connection(connection.socket) }
        handOverBodies()
        resumeSenders()
    }

    private func perform(_ command: EventLoop.Command) {
        switch command {
        case .start(let transfer, let sender): start(transfer, sender)
        case .cancel(let transfer): end(transfer, .failure(transfer.failure ?? CancellationError()))
        case .resumeReceiving(let transfer):
            transfer.pauseReceiving(false)
            noteDeadline(of: transfer)
        case .resumeSending(let transfer):
            transfer.applyPauses()
            transfer.noticeEnd()
            noteDeadline(of: transfer)
        case .report(let statistics): statistics.give(.success(self.statistics))
        case .run(let job): unsafe job.runSynchronously(on: loop.asUnownedTaskExecutor())
        case .stop:
            isStopping = true
            loop.refuse(command)
        }
    }

    /// Adds a command from the loop's own thread, which needs neither a lock nor a wake-up.
    func submit(_ command: EventLoop.Command) { ownCommands.append(command) }

    /// Whether the loop has work to do without waiting for an event.
    private var hasWork: Bool { !gathering.isEmpty || !connections.released.isEmpty || !ownCommands.isEmpty }

    private func deliverHeldBackData() {
        for transfer in transfers { transfer.takeHeldBackData(at: clock.now) }
        poller.work()
    }

    /// Resuming only enqueues the caller's code on its executor.
    private func resumeSenders() {
        for transfer in resumable { transfer.resumeSender() }
        resumable.removeAll(keepingCapacity: true)
    }

    private func handOverBodies() {
        guard !gathering.isEmpty else { return }
        let transfers = gathering
        gathering.removeAll(keepingCapacity: true)
        for transfer in transfers {
            transfer.reception.isGathering = transfer.isFilling
            if transfer.reception.isGathering {
                gathering.append(transfer)
            } else if !transfer.handOver() {
                // The reader is gone, so the rest of the body isn't needed.
                end(transfer, .failure(CancellationError()))
            }
        }
    }

    /// Ends the transfers that libcurl has finished, or starts them again.
    func finishTransfers() {
        var left: Int32 = 0
        var failed: [Connections.Connection] = []
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            // The next call invalidates the message.
            let code = unsafe crc_message_result(message)
            guard let transfer = unsafe Transfer.of(message.pointee.easy_handle) else { continue }
            if transfer.isOfConnection(code), let open = transfer.connection, open.users > 1, failed.last !== open {
                failed.append(open)
            }
            transfer.note(code)
            // libcurl 8.0 and later would keep the connection after its error (RFC 9113 §5.4.1), and each later request
            // over it would fail.
            if code == CURLE_HTTP2, let open = transfer.connection, connections.has(open) {
                crc_end_connection(open.socket)
            }
            if let kind = transfer.takeRestart() {
                restart(transfer, kind)
            } else {
                end(transfer, transfer.outcome(of: code), isDone: true)
            }
        }
        guard !failed.isEmpty else { return }
        // libcurl 8.14 sometimes tells only some transfers of a connection that it has ended.
        for transfer in transfers where failed.contains(where: { $0 === transfer.connection }) { transfer.runNow() }
    }
}

extension LoopDriver {
    private func configureMulti() {
        unsafe poller.attach(to: multi, clock: clock)
        let connections = settings.configuration.connections
        for (option, value) in [
            // The limit for idle connections to all hosts together.
            (CURLMOPT_MAXCONNECTS, connections.maximumIdle),
            (CURLMOPT_MAX_HOST_CONNECTIONS, connections.maximumPerHost ?? 0),
            (CURLMOPT_MAX_TOTAL_CONNECTIONS, connections.maximumTotal ?? 0),
            // Only the server's limit should apply, and libcurl's default of 100 is often below it.
            (CURLMOPT_MAX_CONCURRENT_STREAMS, 1000),
        ] { unsafe crc_multi_set_long(multi, option, value) }
    }

    private func start(_ transfer: Transfer, _ sender: Waiter) {
        transfer.delivery = .awaited(sender)
        // The transfer was canceled before it started.
        guard !transfer.isEnded else {
            if transfer.finish(.failure(CancellationError())) { resumable.append(transfer) }
            return
        }
        do {
            let isSmall = transfer.context.collectsBody && settings.configuration.quirks.ownsBuffers
            let idle = isSmall ? handles.small.popLast() : handles.large.popLast()
            let handle = try idle ?? EasyHandle(settings, clock: clock, driver: self, hasSmallBuffer: isSmall)
            try transfer.begin(on: handle, driver: self)
            transfer.place = transfers.count
            transfers.append(transfer)
            open(transfer)
        } catch {
            end(transfer, .failure(error))
        }
        noteDeadline(of: transfer)
    }

    /// Removes a transfer from libcurl and delivers its outcome. Has no effect after the first call.
    ///
    /// - Parameter isDone: Whether libcurl has finished the transfer. Otherwise it is abandoned.
    func end(_ transfer: Transfer, _ outcome: Result<Header?, any Error>, isDone: Bool = false) {
        guard !transfer.isEnded else { return }
        transfer.close(isDone: isDone)
        connections.end(transfer, isRefused: isDone && !outcome.isConnectTimeout, at: clock.now)
        connections.leave(transfer, at: clock.now)
        if transfer.finish(outcome) { resumable.append(transfer) }
        if let handle = transfer.detach() {
            if !isDone { handle.resetPromptly() }
            unsafe curl_multi_remove_handle(multi, handle.easy)
            // A handle that has resent a request isn't reused, because it would rewind the next body.
            if case .success = outcome, transfer.attempts < 2, transfer.answers == 0,
                !handle.last.isForHTTP1, handles.small.count + handles.large.count < LoopDriver.idleHandleLimit
            {
                if handle.hasSmallBuffer { handles.small.append(handle) } else { handles.large.append(handle) }
            }
        }
        counts.completed += 1
        if let place = transfer.place {
            transfers[place].place = nil
            let last = transfers.removeLast()
            if last !== transfer {
                transfers[place] = last
                last.place = place
            }
        }
    }

    /// Starts over with a new multi handle if libcurl has failed, because the old one has lost track of its transfers
    /// and would crash.
    private func recoverFromFailure() {
        guard let failure = poller.failure.take() else { return }
        finishTransfers()
        for transfer in transfers { end(transfer, .failure(transfer.fault(failure))) }
        guard let multi = unsafe curl_multi_init() else {
            poller.detach()
            isStopping = true
            return
        }
        discard()
        unsafe self.multi = multi
        configureMulti()
    }

    private func shutdown() {
        LoopDriver.current = nil
        loop.close()
        for command in ownCommands { loop.refuse(command) }
        ownCommands = []
        for transfer in transfers { end(transfer, .failure(TransportError.shutdown(phase: transfer.phase))) }
        resumeSenders()
        handles = ([], [])
        discard()
    }

    /// Releases libcurl's multi handle. The driver must not run.
    func discard() {
        poller.detach()
        unsafe curl_multi_cleanup(multi)
    }
}

/// Ends the transfers that take too long.
extension LoopDriver {
    /// Ends the transfers whose deadline has passed, and finds the next deadline.
    ///
    /// Sockets come first: if the process was stopped, what arrived meanwhile is read before a deadline counts.
    func sweep() {
        let now = clock.now
        poller.wait(until: 0)
        poller.work()
        servesAll = settings.configuration.quirks.reportsErrorsLate
        if servesAll { poller.serveAll() }
        servesAll = false
        recoverFromFailure()
        finishTransfers()
        connections.settle(at: now)
        sweepDeadline = connections.nextSettling
        for transfer in transfers {
            if let limit = transfer.deadlines.reached(at: now) {
                let silent = transfer.silentConnection(at: now)
                if silent?.users == 1 { transfer.handle?.forbidReuse() }
                end(transfer, .failure(transfer.timedOut(limit)))
                if let silent { connections.abandon(silent, at: now) }
            } else {
                if let end = transfer.connecting.continueEnd, end <= now { transfer.releaseBody() }
                if transfer.mustSkipAddresses(at: now) { restart(transfer, .overNextAddress) }
                noteDeadline(of: transfer)
            }
        }
    }

    func noteDeadline(of transfer: Transfer) {
        guard !transfer.isEnded else { return }
        let nextServe = settings.configuration.quirks.reportsErrorsLate ? clock.now + 1_000_000_000 : .max
        let (look, wait) = (transfer.connecting.nextLook ?? .max, transfer.connecting.continueEnd ?? .max)
        let settled = connections.nextSettling ?? .max
        sweepDeadline = min(nextServe, transfer.deadlines.next ?? .max, look, wait, settled, sweepDeadline ?? .max)
    }
}

extension Result<Header?, any Error> {
    var isConnectTimeout: Bool {
        if case .failure(let error as TransportError) = self { error.code == .timedOut(.connect) } else { false }
    }
}

extension LoopDriver {
    /// The numbers of requests since the start. Only the loop's thread changes them.
    struct Counts {
        var completed = 0
        var sent = 0
        var reused = 0
    }

    /// Computed on demand, so that exchanges don't pay for it.
    var statistics: TransportStatistics {
        TransportStatistics(
            connections: connections.statistics,
            requests: TransportStatistics.Requests.counting(
                transfers.lazy.map { ($0.request.operation, $0.stage == .queued) }
            ),
            completed: counts.completed,
            sent: counts.sent,
            reused: counts.reused
        )
    }
}
#endif
