import RequestsClient
import RequestsSystem

extension Cassette {
    /// Writes the exchanges recorded so far. Has no effect if nothing can have been recorded.
    ///
    /// In the mode `recordMissing`, the file is only written if an exchange was recorded.
    ///
    /// - Throws: ``CassetteError`` if the file can't be written.
    public func save() throws(CassetteError) {
        switch mode {
        case .replay, .live: return
        case .recordMissing where !tape.hasRecorded: return
        case .record, .recordMissing: try tape.archive.write(to: file)
        }
    }

    /// Saves the file and rejects later requests.
    ///
    /// If the file can't be written, this prints the error to standard error. Call ``save()`` to handle the error.
    public func shutdown() async {
        guard tape.close() else { return }
        do {
            try save()
        } catch {
            OpenFile.writeToStandardError("\(error)\n")
        }
    }
}
