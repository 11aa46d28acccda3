#if FullFoundation && canImport(Darwin)
import Foundation

extension URLRequest {
    /// Sets the stream and the length of the body. Foundation doesn't know the length of a stream.
    mutating func setBody(_ stream: InputStream, length: Int64?) {
        httpBodyStream = stream
        if let length { setValue(String(length), forHTTPHeaderField: "Content-Length") }
    }
}
#endif
