#if canImport(Darwin)
// Not compiled on the machine that this was written on.
import Foundation

extension URLRequest {
    /// Sets what the body is read from, and its length: Foundation takes a stream for one of unknown length.
    mutating func setBody(_ stream: InputStream, length: Int64?) {
        httpBodyStream = stream
        if let length { setValue(String(length), forHTTPHeaderField: "Content-Length") }
    }
}
#endif
