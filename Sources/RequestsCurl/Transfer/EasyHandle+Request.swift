import CRequestsCurl
import Foundation
import Requests

extension EasyHandle {
    /// Bodies up to this size are handed to libcurl at once, which sends them together with the header.
    private static let inlineBodyLimit = 64 << 10

    /// Sets everything that differs from transfer to transfer, whatever the handle served before.
    ///
    /// - Returns: Where the body comes from when libcurl asks for it bit by bit.
    func configure(for request: PreparedRequest, _ tls: CurlTransport.TLS) throws -> UploadBody? {
        try configure(tls, for: request.url)
        try set(CURLOPT_URL, request.url.text.prefix { $0 != "#" }.description)
        try set(CURLOPT_CONNECTTIMEOUT_MS, request.options.timeouts.connect?.roundedUpMilliseconds ?? .maximumTimeout)
        // This order undoes whatever the last transfer's method and body left behind.
        try set(CURLOPT_POSTFIELDS, nil)
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: -1)
        try set(CURLOPT_HTTPGET, 1)
        let upload = try setBody(of: request)
        if request.method == .head { try set(CURLOPT_NOBODY, 1) }
        let isDefault = request.method == (upload == nil && request.framingField == nil ? .get : .post)
        try set(CURLOPT_CUSTOMREQUEST, isDefault || request.method == .head ? nil : request.method.rawValue)
        try setFieldLines(fieldLines(of: request))
        return upload
    }

    private func setBody(of request: PreparedRequest) throws -> UploadBody? {
        guard request.framingField != nil else { return nil }
        try set(CURLOPT_POST, 1)
        if request.body.isNone || request.body.data.map({ $0.count <= EasyHandle.inlineBodyLimit }) == true {
            let data = request.body.data ?? Data()
            try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(data.count))
            try data.withUnsafeBytes { bytes in
                // An empty body must not be a null pointer: that would make libcurl ask for it.
                let address = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                try setCopiedBody(address)
            }
            return nil
        }
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: request.body.length ?? -1)
        return try UploadBody(request.body)
    }

    private func setCopiedBody(_ bytes: UnsafePointer<CChar>?) throws(TransportError) {
        let code = "".withCString { crc_set_string(easy, CURLOPT_COPYPOSTFIELDS, bytes ?? $0) }
        guard code == CURLE_OK else { throw .unsupported("libcurl has no memory for the body") }
    }

    private func fieldLines(of request: PreparedRequest) -> [String] {
        // Libcurl's own additions are switched off by a name without a value. Waiting for `100 Continue` costs a
        // second with servers that do not know it.
        var lines = ["Expect:"]
        if !request.header.contains(.accept) { lines.append("Accept:") }
        if !request.header.contains(.contentType) { lines.append("Content-Type:") }
        for field in request.header where field.name != .contentLength {
            // A name with a colon and nothing else would remove the field.
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        return lines
    }
}

extension Duration {
    /// At least one, and what a C `long` holds.
    var roundedUpMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int.maximumTimeout / 1000 else { return .maximumTimeout }
        return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension Int {
    /// In milliseconds: 24 days, the most that libcurl takes where a `long` has 32 bits.
    static let maximumTimeout = Int(Int32.max)
}
