#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

extension URLRequest {
    /// Sets what the body is read from, and leaves its length out: Foundation here sends every stream in chunks, and a
    /// length beside them, which servers refuse (RFC 9112 §6.2).
    mutating func setBody(_ stream: InputStream, length: Int64?) {
        httpBodyStream = stream
        setValue(nil, forHTTPHeaderField: "Content-Length")
    }
}
#endif
