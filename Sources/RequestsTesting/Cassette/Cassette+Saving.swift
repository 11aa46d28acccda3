import RequestsClient
import RequestsSystem

extension Cassette {
    /// Writes the exchanges recorded so far to the file. Has no effect in the modes `replay` and `live`.
    ///
    /// In the mode `recordMissing`, the file is written only if an exchange was recorded.
    ///
    /// - Throws: ``CassetteError`` if the file can't be written.
    public func save() throws(CassetteError) {
        if isChanged { try tape.archive.write(to: file) }
    }

    /// Whether ``save()`` writes the file.
    var isChanged: Bool {
        switch mode {
        case .replay, .live: false
        case .record: true
        case .recordMissing: tape.hasRecorded
        }
    }

    /// Saves the file and rejects later requests.
    ///
    /// If the file can't be written, the error is printed to standard error. Call ``save()`` to handle it.
    public func shutdown() async {
        guard tape.close() else { return }
        do {
            try save()
        } catch {
            OpenFile.writeToStandardError("\(error)\n")
        }
    }
}
