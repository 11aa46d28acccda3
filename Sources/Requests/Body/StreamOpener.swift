import Foundation

/// Makes a stream for each reading.
final class StreamOpener: Sendable {
    let open: @Sendable () throws -> sending InputStream

    init(_ open: @escaping @Sendable () throws -> sending InputStream) {
        self.open = open
    }
}
