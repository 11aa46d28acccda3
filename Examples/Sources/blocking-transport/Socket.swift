import Foundation
import Requests

#if canImport(Glibc)
import Glibc
private let streamType = Int32(SOCK_STREAM.rawValue)
#elseif canImport(Musl)
import Musl
private let streamType = SOCK_STREAM
#else
import Darwin
private let streamType = SOCK_STREAM
#endif

enum Socket {
    /// Sends bytes to this machine, and reads until the server closes the connection.
    static func talk(_ message: Data, toPort port: Int) throws -> Data {
        let descriptor = socket(AF_INET, streamType, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            let message = "port \(port) of 127.0.0.1 refused the connection; start the server first"
            throw TransportError(code: .cannotConnect, message: message, phase: .connecting)
        }
        let handle = FileHandle(fileDescriptor: descriptor)
        try handle.write(contentsOf: message)
        return try handle.readToEnd() ?? Data()
    }
}
