extension Client {
    /// A call that failed.
    public struct Failure: Sendable, CustomStringConvertible, CustomReflectable {
        /// The request that the call was for.
        public let request: any RequestConvertible

        /// The error that the caller gets.
        public let error: any Error

        /// The request and the kind of the error; its words where they are this library's.
        public var description: String { "\(request): \(Redaction.reason(error))" }

        /// The same as ``description``: another's error may hold secrets.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }

    /// The calls that fail from now on, for as long as somebody listens: the last 100 wait for a slow listener, with their
    /// requests, and so with bodies that are in memory.
    ///
    /// A cancelled call is none. The sequence ends with the last copy of the client.
    public var failures: AsyncStream<Failure> { state.failures() }

    /// Tells the log and the listeners of an error, once for each call.
    func report(_ error: any Error, of request: some RequestConvertible, _ journal: CallJournal?) {
        log(error, of: request, journal)
        tell(error, of: request)
    }

    func log(_ error: any Error, of request: some RequestConvertible, _ journal: CallJournal?) {
        guard let receive = configuration.log.receive else { return }
        // Without a journal it never came to a request that can be sent.
        let journal =
            journal
            ?? CallJournal(unbuilt: request.description, state.nextCall(), configuration.clock, receive)
        journal.failed(error)
    }

    /// Tells the listeners of an error that the caller gets.
    func tell(_ error: any Error, of request: some RequestConvertible) {
        guard !(error is CancellationError) else { return }
        let listeners = state.listeners
        guard configuration.onFailure != nil || !listeners.isEmpty else { return }
        let failure = Failure(request: request, error: error)
        configuration.onFailure?(failure)
        for listener in listeners { listener.yield(failure) }
    }
}
