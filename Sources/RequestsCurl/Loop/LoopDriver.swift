import CRequestsCurl
import Requests
import RequestsClient

/// Runs on the loop's thread, which alone calls libcurl and owns its handles.
///
/// Variables that change with each exchange have unchecked exclusivity, as in ``Transfer``.
@safe final class LoopDriver {
    let settings: Settings
    let poller: any Poller
    let clock = LoopClock()
    let origins = OriginCache()
    let headCache = HeadCache()
    let loop: EventLoop
    private(set) var multi: UnsafeMutableRawPointer
    /// Idle handles. Reusing a configured handle is cheaper than making a new one.
    @safe @exclusivity(unchecked) private var handles: [EasyHandle] = []
    private static let idleHandleLimit = 128
    /// The transfers that libcurl works on, each at the index that it knows.
    @safe @exclusivity(unchecked) private(set) var transfers: [Transfer] = []

    /// The transfers whose senders are resumed at the end of a turn, when everything that arrived together was read.
    @safe @exclusivity(unchecked) var resumable: [Transfer] = []

    /// The transfers that have gathered data for their readers.
    @safe @exclusivity(unchecked) var gathering: [Transfer] = []

    /// The transfers whose wait for a connection has ended.
    var released: [Transfer] = []

    /// The transfers that alone use a new connection, by its socket.
    @safe @exclusivity(unchecked) var alone: [curl_socket_t: Transfer] = [:]

    @safe @exclusivity(unchecked) var connections = ConnectionTable()
    @safe @exclusivity(unchecked) var counts = Counts()

    /// The commands of the loop's own thread: by tasks that run on it, and by callbacks.
    @safe @exclusivity(unchecked) private var ownCommands: [EventLoop.Command] = []
    private var isStopping = false

    /// How often in a turn the commands of the loop's own thread are performed. Then the sockets get their turn.
    private static let roundLimit = 8

    /// The origins with a new connection, and when their servers' settings should have arrived.
    var settling: [(origin: OriginCache.Origin, end: UInt64)] = []

    /// When the first transfer can time out, in nanoseconds of the loop's clock.
    var sweepDeadline: UInt64?

    /// Creates a driver that no thread runs yet. ``run()`` or ``discard()`` must follow.
    init(loop: EventLoop, poller: any Poller, settings: Settings) throws(TransportError) {
        guard let multi = unsafe curl_multi_init() else { throw .outOfMemory(creating: "a transport") }
        self.loop = loop
        self.poller = poller
        self.settings = settings
        unsafe self.multi = multi
        configureMulti()
    }

    /// Works on the thread that calls it, until the loop is stopped.
    func run() {
        LoopDriver.current = self
        var commands: [EventLoop.Command] = []
        while !isStopping {
            poller.wait(until: hasWork || !loop.mayFallAsleep() ? 0 : sweepDeadline)
            recoverFromFailure()
            loop.takeCommands(into: &commands)
            perform(&commands)
            // A response, the task that it resumes and the next request of that task need only one turn.
            for _ in 0..<LoopDriver.roundLimit where !ownCommands.isEmpty {
                swap(&ownCommands, &commands)
                perform(&commands)
            }
        }
        shutdown()
    }

    /// Performs commands and everything that follows from them and from events.
    private func perform(_ commands: inout [EventLoop.Command]) {
        for command in commands { perform(command) }
        commands.removeAll(keepingCapacity: true)
        poller.work()
        while addReleased() { poller.work() }
        recoverFromFailure()
        if let deadline = sweepDeadline, deadline <= clock.now { sweep() }
        finishTransfers()
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
        case .resumeSending(let transfer): transfer.applyPauses()
        case .report(let statistics): statistics.give(.success(self.statistics))
        case .run(let job): unsafe job.runSynchronously(on: loop.asUnownedTaskExecutor())
        case .stop:
            isStopping = true
            loop.refuse(command)
        }
    }

    /// Takes a command of the loop's own thread, which needs neither a lock nor a wake-up.
    func submit(_ command: EventLoop.Command) { ownCommands.append(command) }

    /// Whether there is something to do before the next event.
    private var hasWork: Bool { !gathering.isEmpty || !released.isEmpty || !ownCommands.isEmpty }

    /// Resuming runs the caller's code only up to its executor's queue.
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
            } else if transfer.handOver() {
                transfer.deliverEarlyEnd()
            } else {
                // Without a reader the rest isn't needed.
                end(transfer, .failure(CancellationError()))
            }
        }
    }

}

extension LoopDriver {
    private func configureMulti() {
        unsafe poller.attach(to: multi, clock: clock)
        let connections = settings.configuration.connections
        for (option, value) in [
            // Idle connections kept for reuse, to all hosts together.
            (CURLMOPT_MAXCONNECTS, connections.maximumIdle),
            (CURLMOPT_MAX_HOST_CONNECTIONS, connections.maximumPerHost ?? 0),
            (CURLMOPT_MAX_TOTAL_CONNECTIONS, connections.maximumTotal ?? 0),
            // The server's own limit counts. libcurl's default of 100 is often below it.
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
            let handle = try handles.popLast() ?? EasyHandle(settings, clock: clock, driver: self)
            try transfer.begin(on: handle, driver: self)
            transfer.place = transfers.count
            transfers.append(transfer)
            open(transfer)
        } catch {
            end(transfer, .failure(error))
        }
        noteDeadline(of: transfer)
    }

    /// Removes a transfer from libcurl and passes its outcome on. Only the first end counts.
    ///
    /// - Parameter isDone: Whether libcurl is done with it; otherwise it is given up.
    func end(_ transfer: Transfer, _ outcome: Result<Header?, any Error>, isDone: Bool = false) {
        guard !transfer.isEnded else { return }
        transfer.close(isDone: isDone)
        noteEnded(transfer, isRefused: isDone && !outcome.isConnectTimeout)
        markShared(transfer)
        if transfer.finish(outcome) { resumable.append(transfer) }
        if let handle = transfer.detach() {
            if !isDone { handle.resetPromptly() }
            unsafe curl_multi_remove_handle(multi, handle.easy)
            // A handle that has resent a request keeps a count of it, and wants the body from its start.
            if case .success = outcome, transfer.connection.attempts < 2, !handle.last.hasTrailers,
                handles.count < LoopDriver.idleHandleLimit
            {
                handles.append(handle)
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

    /// Starts over with a new multi handle if libcurl has failed: the old one has lost track of what its transfers wait
    /// for, and crashes if it goes on.
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
        handles = []
        discard()
    }

    /// Releases what libcurl holds for a driver that doesn't run.
    func discard() {
        poller.detach()
        unsafe curl_multi_cleanup(multi)
    }
}
