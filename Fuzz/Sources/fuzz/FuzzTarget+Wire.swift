import Foundation

@testable import RequestsCompression
@testable import RequestsCurl

extension FuzzTarget {
    static let wire = [
        FuzzTarget(
            "head",
            seeds: [
                ["HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 1\r\n\r\n"], ["HTTP/2 204\r\n\r\n"],
                ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\nA:b\n\n"], ["HTTP/1.0 999 \r\n: \r\n\r\n"],
            ]
        ) { input in
            let lines = lines(of: input.remainder())
            var reader = HeadReader()
            for line in lines where try reader.read(line) { break }
            let header = reader.header
            let isSafe = header.allSatisfy { !$0.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 } }
            require(isSafe, "a received value has no line break")
            let cache = HeadCache()
            for _ in 0..<2 {
                var cached = HeadReader(cache)
                for line in lines where try cached.read(line) {
                    _ = cached.finish()
                    break
                }
                require(cached.header == header, "a head is read alike with the last one in the cache")
                require(cached.version == reader.version && cached.statusCode == reader.statusCode, "its status, too")
            }
        },
        FuzzTarget(
            "chunked",
            seeds: [
                ["\u{3}", "5\r\nhello\r\n0\r\nA: b\r\n\r\n"], ["", "A;x=y\r\n0123456789\r\n00\r\n\r\n"],
                ["", "5g\r\n"],
                ["", "FFFFFFFFFFFFFFFF\r\n"],
            ]
        ) { input in
            let size = input.bytes().first.map { Int($0) + 1 } ?? 1
            let data = Array(input.remainder())
            let (whole, pieces) = (chunkedBody(data, size: max(data.count, 1)), chunkedBody(data, size: size))
            require(whole.isValid == pieces.isValid, "a fault doesn't depend on the pieces")
            if whole.isValid {
                require(whole.body == pieces.body && whole.isAtEnd == pieces.isAtEnd, "nor does a body")
            }
        },
        FuzzTarget("decompression", seeds: []) { input in
            let size = input.bytes().first.map { Int($0) + 1 } ?? 1
            let data = Array(input.remainder())
            for coding in CurlTransport.Decompression.Coding.available {
                let whole = try decoded(data, try coding.makeDecoder(), size: max(data.count, 1))
                let pieces = try decoded(data, try coding.makeDecoder(), size: size)
                // libzstd doesn't always compare the stated size of a frame that arrives in pieces.
                let mayDiffer = coding == .zstd && (whole == nil || pieces == nil)
                require(whole == pieces || mayDiffer, "the bytes don't depend on the pieces of \(coding)")
            }
        },
    ]

    /// Splits bytes after each line feed, as libcurl does.
    private static func lines(of data: Data) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        for byte in data {
            lines[lines.count - 1].append(byte)
            if byte == 10 { lines.append([]) }
        }
        return lines.filter { !$0.isEmpty }
    }

    private static func chunkedBody(_ data: [UInt8], size: Int) -> (body: [UInt8], isValid: Bool, isAtEnd: Bool) {
        var reader = ChunkReader()
        var body: [UInt8] = []
        for start in stride(from: 0, to: data.count, by: size) {
            let isValid = Array(data[start..<min(start + size, data.count)]).withUnsafeBytes { bytes in
                var rest = bytes[...]
                do {
                    while let part = try reader.next(in: &rest) {
                        if case .data(let bytes) = part { body += bytes }
                        if case .trailer(let line) = part { body += line }
                    }
                    return true
                } catch { return false }
            }
            if !isValid { return (body, false, false) }
        }
        return (body, true, reader.isAtEnd)
    }

    /// Decodes bytes up to 1 MiB. Returns `nil` if they aren't valid, truncated, or longer.
    private static func decoded(_ data: [UInt8], _ decoder: any ContentDecoder, size: Int) throws -> [UInt8]? {
        var output: [UInt8] = []
        for start in stride(from: 0, to: data.count, by: size) {
            var input = data[start..<min(start + size, data.count)]
            while true {
                var room = [UInt8](repeating: 0, count: 4096)
                let step: DecodingStep? = input.withUnsafeBytes { bytes in
                    room.withUnsafeMutableBytes { try? decoder.decode(bytes, into: $0) }
                }
                guard let step else { return nil }
                require(step.consumed <= input.count && step.produced <= room.count, "a decoder stays in its buffers")
                output += room.prefix(step.produced)
                input = input.dropFirst(step.consumed)
                guard output.count < 1 << 20 else { return nil }
                if step.isEnd { return output }
                if step.produced < room.count, input.isEmpty || step.consumed == 0 { break }
            }
        }
        return nil
    }
}
