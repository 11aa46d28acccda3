#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking

extension URLRequest {
    /// Sets the stream of the body without its length. This Foundation always sends a stream in chunks, and servers
    /// reject a request that has both chunks and a `Content-Length` (RFC 9112 §6.2).
    mutating func setBody(_ stream: InputStream, length: Int64?) {
        httpBodyStream = stream
        setValue(nil, forHTTPHeaderField: "Content-Length")
    }
}
#endif
