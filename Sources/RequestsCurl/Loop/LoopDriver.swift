import CRequestsCurl
import Foundation
import Requests

/// What the loop's thread does: it alone calls libcurl and owns all that libcurl holds.
final class LoopDriver {
    private let loop: EventLoop
    private let waiter: Waiter
    private let multi: UnsafeMutableRawPointer
    private var handles: HandlePool
    private var transfers: [ObjectIdentifier: Transfer] = [:]

    /// What is told to callers at the end of a turn, when all that arrived together has been read.
    private var answers: [() -> Void] = []

    /// When libcurl wants to be called, and when the first transfer can time out; in nanoseconds of the loop's clock.
    private var curlDeadline: UInt64?
    private var sweepDeadline: UInt64?

    /// The time of what is being worked on.
    private(set) var now: UInt64 = DispatchTime.now().uptimeNanoseconds

    /// - Returns: `nil` when there is no memory for it.
    init?(loop: EventLoop, waiter: Waiter, tls: CurlTransport.TLS) {
        guard let multi = curl_multi_init() else { return nil }
        self.loop = loop
        self.waiter = waiter
        self.multi = multi
        self.handles = HandlePool(tls)
    }

    var tls: CurlTransport.TLS { handles.tls }

    func run() {
        configureMulti()
        var stopped: [CheckedContinuation<Void, Never>?] = []
        while stopped.isEmpty {
            let commands = loop.takeCommands()
            for command in commands {
                switch command {
                case .start(let transfer, let continuation): start(transfer, continuation)
                case .cancel(let transfer): end(transfer, .failure(CancellationError()))
                case .resumeReceiving(let transfer):
                    transfer.pauseReceiving(false)
                    noteDeadline(of: transfer)
                case .resumeSending(let transfer): transfer.applyPauses()
                case .stop(let continuation): stopped.append(continuation)
                }
            }
            turn(canSleep: commands.isEmpty)
        }
        shutDown()
        for continuation in stopped { continuation?.resume() }
    }

    private func turn(canSleep: Bool) {
        waiter.wait(milliseconds: canSleep ? millisecondsToWait() : 0) { socket, events in
            var running: Int32 = 0
            now = DispatchTime.now().uptimeNanoseconds
            curl_multi_socket_action(multi, socket, events, &running)
        }
        if canSleep { loop.awake() }
        now = DispatchTime.now().uptimeNanoseconds
        runTimers()
        finishTransfers()
        // Answers run callers' code only as far as their executor's queue.
        let answers = answers
        self.answers.removeAll(keepingCapacity: true)
        for answer in answers { answer() }
    }

    private func millisecondsToWait() -> Int32 {
        guard let deadline = [curlDeadline, sweepDeadline].compactMap({ $0 }).min() else { return -1 }
        let time = DispatchTime.now().uptimeNanoseconds
        guard deadline > time else { return 0 }
        return Int32(clamping: (deadline - time + 999_999) / 1_000_000)
    }

    private func runTimers() {
        var running: Int32 = 0
        // A timer that is due may set the next one, due at once; a few rounds serve most of them without a wait.
        for _ in 0..<4 {
            guard let deadline = curlDeadline, deadline <= now else { break }
            curlDeadline = nil
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        }
        if let deadline = sweepDeadline, deadline <= now { sweep() }
    }

    /// Ends the transfers whose time is up, and finds out when to look again.
    private func sweep() {
        sweepDeadline = nil
        for transfer in transfers.values {
            if let limit = transfer.deadlines.reached(at: now) {
                end(transfer, .failure(transfer.timedOut(limit)))
            } else {
                noteDeadline(of: transfer)
            }
        }
    }

    private func noteDeadline(of transfer: Transfer) {
        guard !transfer.isEnded, let next = transfer.deadlines.next else { return }
        sweepDeadline = min(next, sweepDeadline ?? .max)
    }
}

extension LoopDriver {
    private func configureMulti() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        crc_multi_set_functions(
            multi,
            { _, socket, interest, context, _ in
                LoopDriver.from(context)?.waiter.watch(socket, interest)
                return 0
            },
            { _, milliseconds, context in
                LoopDriver.from(context)?.setTimer(milliseconds)
                return 0
            },
            context
        )
        // Idle connections kept for reuse, of all hosts together.
        crc_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 256)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> LoopDriver? {
        context.map { Unmanaged<LoopDriver>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Called by libcurl from inside other calls: it only notes the time.
    private func setTimer(_ milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? nil : DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds) * 1_000_000
    }

    private func start(_ transfer: Transfer, _ continuation: CheckedContinuation<ResponseHead, any Error>) {
        transfer.answer = { [unowned self] result in answers.append { continuation.resume(with: result) } }
        guard !transfer.isEnded else { return transfer.end(.failure(CancellationError())) }
        now = DispatchTime.now().uptimeNanoseconds
        do {
            let handle = try handles.take()
            try transfer.begin(on: handle, driver: self)
            transfers[ObjectIdentifier(transfer)] = transfer
            guard curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
                return end(transfer, .failure(TransportError.unsupported("libcurl refuses another transfer")))
            }
        } catch {
            end(transfer, .failure(error))
        }
        noteDeadline(of: transfer)
    }

    private func finishTransfers() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            // The message is gone with the next call: what it says is read first.
            let code = crc_message_result(message)
            guard let transfer = Transfer.of(message.pointee.easy_handle) else { continue }
            end(transfer, transfer.outcome(of: code))
        }
    }

    /// Takes a transfer out of libcurl and tells its reader how it ended. The first end counts.
    private func end(_ transfer: Transfer, _ outcome: Result<Header?, any Error>) {
        if let handle = transfer.detach() {
            curl_multi_remove_handle(multi, handle.easy)
            handles.give(back: handle)
        }
        transfers[ObjectIdentifier(transfer)] = nil
        transfer.end(outcome)
    }

    private func shutDown() {
        loop.close()
        for transfer in transfers.values { end(transfer, .failure(TransportError.shutDown(phase: transfer.phase))) }
        for answer in answers { answer() }
        answers = []
        handles.empty()
        curl_multi_cleanup(multi)
    }
}
