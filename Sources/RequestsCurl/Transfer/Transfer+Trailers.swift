import CRequestsCurl
import Requests
import RequestsClient

extension Transfer {
    /// Returns the fields to send after a chunked body to libcurl, which frees the list.
    static let sendTrailers: crc_trailer_function = { list, context in
        guard let list = unsafe list else { return crc_trailers_abort }
        return unsafe EasyHandle.with(context) { handle, transfer in
            guard let lines = transfer.upload?.trailerLines() else {
                handle.resetPromptly()
                return crc_trailers_abort
            }
            for line in lines {
                // If memory for a line is missing, the exchange fails instead of dropping the line.
                guard let longer = unsafe curl_slist_append(list.pointee, line) else { return crc_trailers_abort }
                unsafe list.pointee = longer
            }
            return crc_trailers_ok
        } ?? crc_trailers_abort
    }
}

extension EasyHandle {
    /// Makes libcurl send trailers, for which it needs HTTP/1.1. Over HTTP/2 it drops them without an error.
    ///
    /// libcurl before 8.7 writes outside its buffer if a handle sends another chunked body after trailers. So the
    /// handle isn't reused, and the connection is new because a request over a kept one may be resent.
    func turnOnTrailers() throws(TransportError) {
        last.hasTrailers = true
        try setVersion(.http1_1)
        turnOn(CURLOPT_FRESH_CONNECT)
        unsafe check(crc_set_trailer_function(easy, Transfer.sendTrailers))
    }
}
