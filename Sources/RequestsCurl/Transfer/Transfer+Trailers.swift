import CRequestsCurl
import Requests
import RequestsClient

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

extension EasyHandle {
    /// libcurl sends trailers only over HTTP/1.1, and over HTTP/2 leaves them out without an error.
    ///
    /// Before 8.7, it writes outside its buffer if the handle sends another chunked body after trailers. So the handle
    /// isn't used again, and the connection is new, because libcurl resends a request if a kept one is closed.
    func turnOnTrailers() throws(TransportError) {
        last.hasTrailers = true
        try setVersion(.http1_1)
        turnOn(CURLOPT_FRESH_CONNECT)
        unsafe check(crc_set_trailer_function(easy, Transfer.sendTrailers))
    }
}
