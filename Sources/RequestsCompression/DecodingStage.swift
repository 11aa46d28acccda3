import Requests

/// A decoder with its unread input.
package struct DecodingStage {
    private let name: String
    private let decoder: any ContentDecoder
    private var input = Data()
    private var hasStarted = false
    private var isAtEnd = false
    /// Whether the decoder filled its output, and may have more without more input.
    private var isFull = false
    /// The numbers of encoded bytes read and of decoded bytes returned so far.
    package private(set) var consumed: Int64 = 0
    package private(set) var decoded: Int64 = 0
    /// The buffer for the next piece, if the last one wasn't used.
    private var room: Data?

    private static let pieceSize = 64 << 10

    package init(_ name: String, _ decoder: any ContentDecoder) {
        self.name = name
        self.decoder = decoder
    }

    package mutating func append(_ data: Data) { if input.isEmpty { input = data } else { input.append(data) } }

    /// - Returns: The next piece. `nil` if it needs more input.
    package mutating func decode() throws -> Data? {
        while !input.isEmpty || isFull {
            if isAtEnd {
                if decoder.allowsPadding {
                    let count = input.prefix { $0 == 0 }.count
                    input = input.dropFirst(count)
                    consumed += Int64(count)
                    guard !input.isEmpty else { return nil }
                }
                guard decoder.startOver() else {
                    throw DecodingFault("the body has bytes after the end of its \(name) data")
                }
                isAtEnd = false
            }
            hasStarted = true
            let size = isFull ? DecodingStage.pieceSize : min(max(8 * input.count, 2 << 10), DecodingStage.pieceSize)
            var piece = room.take() ?? Data(count: size)
            let step = try step(into: &piece)
            input = input.dropFirst(step.consumed)
            isAtEnd = step.isEnd
            isFull = !step.isEnd && step.produced == piece.count
            consumed += Int64(step.consumed)
            decoded += Int64(step.produced)
            if step.produced > 0 { return piece.prefix(step.produced) }
            room = piece
            guard step.consumed > 0 || step.isEnd else { return nil }
        }
        return nil
    }

    private func step(into piece: inout Data) throws -> DecodingStep {
        do {
            return try unsafe input.withUnsafeBytes { bytes in
                try unsafe piece.withUnsafeMutableBytes { try unsafe decoder.decode(bytes, into: $0) }
            }
        } catch let fault as DecodingFault {
            throw DecodingFault("the body isn't valid \(name): \(fault.reason)")
        }
    }

    /// An empty body is valid in any encoding.
    package func finish() throws(DecodingFault) {
        guard isAtEnd || !hasStarted else { throw DecodingFault("the body ends inside its \(name) data") }
    }
}
