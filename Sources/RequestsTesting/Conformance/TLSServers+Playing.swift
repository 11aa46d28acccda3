#if os(Linux) || os(macOS)
import Foundation
import Requests
import RequestsClient

extension TLSServers {
    /// An `openssl s_server` that plays the same reply to each request, one connection after the other.
    final class Playing: Sendable {
        let url: RequestURL
        let pin: String
        private let process: Subprocess
        /// All that it got, and what it says of its connections.
        private let heard = Locked("")

        init(url: RequestURL, pin: String, process: Subprocess) {
            (self.url, self.pin, self.process) = (url, pin, process)
        }

        /// How many requests it got.
        var requests: Int { heard.withLock { $0.ranges(of: "GET / HTTP/1.1").count } }

        /// How many connections it has agreed on keys with.
        var connections: Int { heard.withLock { $0.ranges(of: "\nCIPHER is ").count } }

        /// Ends the server, and with it its connection, without a word of TLS.
        func kill() {
            process.kill()
        }

        /// Plays until the server ends. What it is told on its input it sends on.
        func play(_ reply: String) {
            Subprocess.detachWriter { [self] in
                var unread = Data()
                while case let data = process.output.availableData, !data.isEmpty {
                    heard.withLock { $0 += String(decoding: data, as: UTF8.self) }
                    unread += data
                    while let end = unread.firstRange(of: Data("\r\n\r\n".utf8)) {
                        unread = Data(unread[end.upperBound...])
                        try? process.input.write(contentsOf: Data(reply.utf8))
                    }
                }
            }
        }
    }
}
#endif
