import Foundation

/// What a request carries: a description of bytes, not the bytes on their way.
///
/// A body knows its length, or says that it does not, and whether it can be sent again. Printing, comparing and
/// building a request never read it; a transport does, through ``makeReader()``.
///
/// Bodies of bytes are equal when their bytes are; bodies of streams when they are the same stream.
public struct RequestBody: Sendable {
    private enum Source {
        case none
        case data(Data)
        case stream(OneShotStream)
    }

    private let source: Source

    /// The number of bytes, `nil` when only the end of the stream will tell.
    public let length: Int64?

    /// No body. Methods that expect one (`POST`, `PUT`, `PATCH`) send `Content-Length: 0`.
    public static let none = RequestBody(source: .none, length: 0)

    /// A body of bytes in memory. An empty one is a body all the same: it has a `Content-Length` of 0.
    public static func data(_ data: Data) -> RequestBody {
        RequestBody(source: .data(data), length: Int64(data.count))
    }

    /// A body that is read once from a stream, while it is sent.
    ///
    /// - Parameters:
    ///   - stream: An unopened stream. It is handed over: nothing else may use it afterwards.
    ///   - length: The number of bytes it will give; `nil`, the default, when that is unknown. Fewer or more are an
    ///     error of the request, never a shorter or longer one.
    public static func stream(_ stream: sending InputStream, length: Int64? = nil) -> RequestBody {
        RequestBody(source: .stream(OneShotStream(stream)), length: length)
    }

    /// Whether there is no body at all.
    public var isNone: Bool {
        if case .none = source { true } else { false }
    }

    /// Whether the body can be sent a second time: by a retry, a redirect or an authentication.
    public var isReplayable: Bool {
        if case .stream = source { false } else { true }
    }

    /// The bytes of a body that is in memory; `nil` for none and for a stream.
    public var data: Data? {
        if case .data(let data) = source { data } else { nil }
    }

    /// Opens the body for one reading from start to end.
    ///
    /// - Throws: ``RequestError/Code/bodyAlreadyRead`` when it can be read once only and was.
    public func makeReader() throws(RequestError) -> Reader {
        switch source {
        case .none: Reader(data: nil)
        case .data(let data): Reader(data: data)
        case .stream(let stream): Reader(stream: try stream.take(), length: length)
        }
    }

    /// A Foundation stream over a body that is a stream, `nil` for all others.
    ///
    /// The stream is only taken when Foundation opens it, so that a `URLRequest` can be built more than once.
    package func makeInputStream() -> InputStream? {
        if case .stream(let stream) = source { OneShotInputStream(stream) } else { nil }
    }
}

extension RequestBody: Equatable {
    /// Compares bytes by value and streams by identity.
    public static func == (lhs: RequestBody, rhs: RequestBody) -> Bool {
        guard lhs.length == rhs.length else { return false }
        return switch (lhs.source, rhs.source) {
        case (.none, .none): true
        case (.data(let left), .data(let right)): left == right
        case (.stream(let left), .stream(let right)): left === right
        default: false
        }
    }
}

extension RequestBody: CustomStringConvertible {
    /// What kind of body it is and how long, never its content.
    public var description: String {
        switch source {
        case .none: "no body"
        case .data(let data): "\(data.count) bytes"
        case .stream: length.map { "a stream of \($0) bytes" } ?? "a stream of unknown length"
        }
    }
}
