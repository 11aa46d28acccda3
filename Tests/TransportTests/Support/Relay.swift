import Foundation
import RequestsTesting

/// The tunnel of a proxy, which copies bytes in both directions.
enum Relay {
    /// Confirms the tunnel and copies bytes until one side closes its connection.
    static func connect(_ connection: LoopbackServer.Connection, toPort port: some StringProtocol) throws {
        let descriptor = Socket.newStream()
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (UInt16(port) ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafeBytes(of: &address) { bytes in
            Foundation.connect(
                descriptor,
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
        guard code == 0 else { throw POSIXError(.ECONNREFUSED) }
        try connection.write("HTTP/1.1 200 Connection established\r\n\r\n")
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0, (try? connection.write(buffer[..<count])) != nil else { break }
            }
            done.signal()
        }
        while let bytes = try? connection.read(), !bytes.isEmpty {
            guard send(descriptor, bytes, bytes.count, 0) == bytes.count else { break }
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
        done.wait()
    }
}
