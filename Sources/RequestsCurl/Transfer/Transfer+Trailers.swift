import CRequestsCurl
import Requests

extension Transfer {
    /// Gives libcurl the fields to send after a chunked body. It frees the list.
    static let sendTrailers: crc_trailer_function = { list, context in
        guard let list = unsafe list else { return crc_trailers_abort }
        return unsafe EasyHandle.with(context) { handle, transfer in
            guard let lines = transfer.upload?.trailerLines() else {
                handle.resetPromptly()
                return crc_trailers_abort
            }
            for line in lines {
                // Without memory for a line, the exchange fails instead of leaving it out.
                guard let longer = unsafe curl_slist_append(list.pointee, line) else { return crc_trailers_abort }
                unsafe list.pointee = longer
            }
            return crc_trailers_ok
        } ?? crc_trailers_abort
    }
}
