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

/// Sends a request to this machine over a blocking socket, and reads the response until the server closes the
/// connection.
func exchange(_ request: PreparedRequest) throws -> BlockingClient.Reply {
    var message = request
    message.header.set(Field(name: "Connection", value: "close"))
    let text = message.httpMessage(revealingSecrets: true).replacingOccurrences(of: "\n", with: "\r\n")
    let bytes = try talk(Data(text.utf8), toPort: UInt16(request.url.origin.port))
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { throw CocoaError(.fileReadCorruptFile) }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let fields = lines.dropFirst().compactMap { line -> Field? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        return Field(name: Field.Name(String(line[..<colon])), value: value)
    }
    let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let head = try ResponseHead(statusCode: status, header: Header(Array(fields)), url: request.url)
    return BlockingClient.Reply(head: head, body: bytes[end.upperBound...])
}

private func talk(_ message: Data, toPort port: UInt16) throws -> Data {
    let descriptor = socket(AF_INET, streamType, 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
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
