#if os(Linux) || os(macOS)
import Requests
import RequestsClient
import RequestsSystem
import RequestsTesting

extension TLSServers {
    /// An `openssl s_server` that sends the same response to each request, one connection at a time.
    final class ScriptedServer: Sendable {
        let url: RequestURL
        let pin: String
        private let process: Subprocess
        /// The output of `s_server`: the requests it received, and its log.
        private let output = Locked("")

        init(url: RequestURL, pin: String, process: Subprocess) {
            (self.url, self.pin, self.process) = (url, pin, process)
        }

        /// The number of requests that the server received.
        var requests: Int { output.withLock { $0.ranges(of: "GET / HTTP/1.1").count } }

        /// The number of completed handshakes.
        var connections: Int { output.withLock { $0.ranges(of: "\nCIPHER is ").count } }

        /// Kills the server, which closes its connection without close_notify.
        func kill() {
            process.kill()
        }

        /// Responds to requests until the server ends, by writing to the input of `s_server`, which sends it to the
        /// client.
        func respond(with response: String) {
            Subprocess.detachWriter { [self] in
                var unread = Data()
                while let data = try? process.output.read(upTo: 64 << 10) {
                    output.withLock { $0 += String(decoding: data, as: UTF8.self) }
                    unread += data
                    while let end = unread.firstRange(of: Data("\r\n\r\n".utf8)) {
                        unread = Data(unread[end.upperBound...])
                        try? process.write(Data(response.utf8))
                    }
                }
            }
        }
    }
}
#endif
