#!/usr/bin/env python3
"""A server for HTTP/3 that breaks the rules as the path of a request says.

    http3_server.py CERTIFICATE KEY

Prints its port, and ends when its input does. Needs aioquic.
"""

import asyncio
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3_ALPN, FrameType, H3Connection, encode_frame
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated, StopSendingReceived, StreamDataReceived
from aioquic.buffer import encode_uint_var

OK = [(b":status", b"200")]


class Server(QuicConnectionProtocol):
    early = 0
    stopped = 0

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http = None
        self.requests = 0
        self.received = {}
        self.paths = {}
        self.numbers = {}

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        if self.http is None:
            return
        if isinstance(event, StopSendingReceived):
            Server.stopped += 1
        if isinstance(event, StreamDataReceived) and self.paths.get(event.stream_id, "").startswith("/stall"):
            return
        for found in self.http.handle_event(event):
            if isinstance(found, HeadersReceived) and found.stream_id not in self.paths:
                fields = dict(found.headers)
                self.requests += 1
                self.paths[found.stream_id] = fields[b":path"].decode()
                self.received[found.stream_id] = 0
                self.numbers[found.stream_id] = self.requests
                self.begin(found.stream_id, found.stream_ended)
            elif isinstance(found, DataReceived):
                self.received[found.stream_id] += len(found.data)
                if self.paths[found.stream_id] == "/early-read":
                    Server.early += len(found.data)
                if self.paths[found.stream_id] == "/duplex":
                    self.http.send_data(found.stream_id, found.data, found.stream_ended)
                if found.stream_ended:
                    self.end(found.stream_id)
        self.transmit()

    def begin(self, stream, is_whole):
        path, _, query = self.paths[stream].lstrip("/").partition("?")
        action = getattr(self, "do_" + path.replace("-", "_"), None)
        if action:
            action(stream, query)
        elif is_whole:
            self.end(stream)

    def end(self, stream):
        """Responds to a whole request."""
        path = self.paths[stream]
        if path.startswith("/limited"):
            return self.respond_limited(stream)
        if path.startswith("/echo"):
            self.reply(stream, f"{self.received[stream]}".encode())
        if path.startswith("/ok"):
            self.reply(stream, b"ok")

    def reply(self, stream, body, *fields):
        self.http.send_headers(stream, OK + list(fields))
        self.http.send_data(stream, body, True)

    def raw(self, stream, kind, payload, end=False):
        self._quic.send_stream_data(stream, encode_frame(kind, payload), end)

    def fields(self, stream, fields, end=True):
        """Sends a field section without the checks that a server makes."""
        self.raw(stream, FrameType.HEADERS, self.http._encode_headers(stream, fields), end)

    # A server that says nothing, or stops.

    silent = 0

    def do_silent(self, stream, query):
        Server.silent += 1

    def do_silent_count(self, stream, query):
        self.reply(stream, f"{Server.silent}".encode())

    def do_silent_body(self, stream, query):
        Server.silent += 1
        self.http.send_headers(stream, OK)
        self.http.send_data(stream, b"half", False)

    def do_stall(self, stream, query):
        """Never opens the windows of the connection."""
        self._quic._write_stream_limits = lambda **options: None
        self._quic._write_connection_limits = lambda **options: None

    # Ends of a stream and of the connection.

    def do_reset(self, stream, query):
        self._quic.reset_stream(stream, int(query, 16))

    def do_reset_body(self, stream, query):
        self.do_silent_body(stream, query)
        # The bytes before a reset may be lost, so it comes later.
        self._loop.call_later(0.2, self.later, lambda: self._quic.reset_stream(stream, int(query, 16)))

    def do_close(self, stream, query):
        self._quic.close(error_code=int(query, 16), reason_phrase="closed")

    def do_close_transport(self, stream, query):
        self._quic.close(error_code=int(query, 16), frame_type=0, reason_phrase="closed")

    def do_close_body(self, stream, query):
        self.do_silent_body(stream, query)
        self._loop.call_later(0.2, self.later, lambda: self._quic.close(error_code=int(query, 16)))

    def later(self, action):
        action()
        self.transmit()

    def do_nothing_sent(self, stream, query):
        self._quic.send_stream_data(stream, b"", True)

    def do_goaway(self, stream, query):
        """Refuses all requests from the first one on, and says nothing about this one."""
        payload = encode_uint_var(0)
        self._quic.send_stream_data(self.http._local_control_stream_id, encode_frame(FrameType.GOAWAY, payload))

    # Lies about lengths.

    def do_short(self, stream, query):
        self.reply(stream, b"12345", (b"content-length", b"10"))

    def do_long(self, stream, query):
        self.reply(stream, b"12345", (b"content-length", b"3"))

    # Broken field sections.

    def do_garbage(self, stream, query):
        self.raw(stream, FrameType.HEADERS, b"\x00\x00\xff\xff\xff\xff\xff", True)

    def do_uppercase(self, stream, query):
        self.fields(stream, OK + [(b"X-Upper", b"1")])

    def do_no_status(self, stream, query):
        self.fields(stream, [(b"x-a", b"1")])

    def do_bad_status(self, stream, query):
        self.fields(stream, [(b":status", b"2x0")])

    def do_late_pseudo(self, stream, query):
        self.fields(stream, [(b"x-a", b"1"), (b":status", b"200")])

    def do_connection_field(self, stream, query):
        self.fields(stream, OK + [(b"transfer-encoding", b"chunked")])

    def do_line_break(self, stream, query):
        self.fields(stream, OK + [(b"x-a", b"1\r\nx-b: 2")])

    def do_huge_head(self, stream, query):
        self.fields(stream, OK + [(b"x-%d" % number, b"v" * 1000) for number in range(2000)])

    def do_two_lengths(self, stream, query):
        self.fields(stream, OK + [(b"content-length", b"3"), (b"content-length", b"4")])

    # Frames out of place.

    def do_data_first(self, stream, query):
        self.raw(stream, FrameType.DATA, b"12345", True)

    def do_settings(self, stream, query):
        self.raw(stream, FrameType.SETTINGS, b"", True)

    def do_unknown_frames(self, stream, query):
        for number in range(1000):
            self._quic.send_stream_data(stream, encode_frame(0x21 + 0x1F * number, b"x"))
        self.reply(stream, b"ok")

    def do_empty_data(self, stream, query):
        self.http.send_headers(stream, OK)
        for _ in range(20_000):
            self.raw(stream, FrameType.DATA, b"")
        self.http.send_data(stream, b"ok", True)

    def do_informational(self, stream, query):
        for _ in range(int(query)):
            self.fields(stream, [(b":status", b"103"), (b"link", b"</a>; rel=preload")], False)
        self.reply(stream, b"ok")

    def do_trailers(self, stream, query):
        self.http.send_headers(stream, OK)
        self.http.send_data(stream, b"ok", False)
        self.http.send_headers(stream, [(b"x-sum", b"7")], True)

    # Connections.

    def do_migrate(self, stream, query):
        """Uses other connection IDs from now on."""
        self._quic.change_connection_id()
        self.reply(stream, b"ok")

    def do_connection(self, stream, query):
        self.reply(stream, f"{id(self)}".encode())

    def do_early(self, stream, query):
        """Responds before it has read the request, and wants no more of it."""
        self.reply(stream, b"early")
        self._quic.stop_stream(stream, 0x100)

    def do_early_read(self, stream, query):
        """Responds before it has read the request, and reads the rest."""
        self.reply(stream, b"early")

    def do_duplex(self, stream, query):
        """Sends each piece of the request back when it arrives."""
        self.http.send_headers(stream, OK)

    def do_refusal(self, stream, query):
        """Responds with a refusal before it has read the request."""
        self.http.send_headers(stream, [(b":status", b"409"), (b"content-length", b"2")])
        self.http.send_data(stream, b"no", True)

    def do_count(self, stream, query):
        """Tells how many bytes the early responses' requests had."""
        self.reply(stream, f"{Server.early}".encode())

    def do_stopped(self, stream, query):
        """Tells how many responses the clients didn't want to the end."""
        self.reply(stream, f"{Server.stopped}".encode())

    def respond_limited(self, stream):
        """Serves 50 requests over a connection, as servers do that replace their workers."""
        number = self.numbers[stream]
        if number <= 50:
            self.reply(stream, b"ok")
        else:
            self._quic.reset_stream(stream, 0x10B)
        if number == 50:
            payload = encode_uint_var(stream + 4)
            self._quic.send_stream_data(self.http._local_control_stream_id, encode_frame(FrameType.GOAWAY, payload))


async def run():
    configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN, max_stream_data=65_536)
    configuration.load_cert_chain(sys.argv[1], sys.argv[2])
    server = await serve("127.0.0.1", 0, configuration=configuration, create_protocol=Server)
    print(server._transport.get_extra_info("sockname")[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


asyncio.run(run())
