import Requests

/// Bodies for tests that are read with blocking calls, as a stream is.
extension RequestBody {
    /// A body that can be read once.
    package static func oneShot(_ data: Data, length: Int64? = nil) -> RequestBody {
        .stream(BodyStream(isReplayable: false) { reading(data) }, length: length)
    }

    /// A body that can be read repeatedly.
    package static func replayable(_ data: Data, length: Int64? = nil) -> RequestBody {
        .stream(length: length, reading: { reading(data) })
    }

    private static func reading(_ data: Data) -> sending Read {
        var rest = data[...]
        return { maximumBytes in
            defer { rest = rest.dropFirst(maximumBytes) }
            return rest.isEmpty ? nil : Data(rest.prefix(maximumBytes))
        }
    }
}
