#!/usr/bin/env python3
"""A tus server whose connections break.

    tus_server.py FOLDER PORT CUTS END SPACE

Keeps its uploads in FOLDER. Listens on PORT of 127.0.0.1, or on any if that is 0, and prints it. A relay breaks the
connections when it has forwarded the numbers of bytes in CUTS, separated by commas. After END bytes, the server shuts
down, unless that is 0. No file gets longer than SPACE bytes, unless that is 0. Ends when its input does.
Needs tuspyserver and uvicorn.
"""

import asyncio
import os
import resource
import sys

import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router


class Relay:
    def __init__(self, cuts, end):
        self.cuts = sorted(cuts + ([end] if end else []))
        self.end = end
        self.count = 0
        self.ended = asyncio.Event()

    async def serve(self, reader, writer):
        upstream = None
        try:
            below, upstream = await asyncio.open_connection("127.0.0.1", self.port)
            back = asyncio.create_task(self.forward(below, writer))
            while data := await reader.read(65536):
                if self.cuts and self.count + len(data) >= self.cuts[0]:
                    position = self.cuts.pop(0)
                    upstream.write(data[: position - self.count])
                    self.count = position
                    await upstream.drain()
                    back.cancel()
                    writer.transport.abort()
                    if position == self.end:
                        self.ended.set()
                    return
                self.count += len(data)
                upstream.write(data)
                await upstream.drain()
            upstream.write_eof()
            await back
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            if upstream:
                upstream.close()

    async def forward(self, reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()


async def main(folder, port, cuts, end, space):
    if int(space):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(space), int(space)))
    app = FastAPI()
    app.include_router(create_tus_router(prefix="files", files_dir=folder, strict_offset_validation=True))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    relay = Relay([int(cut) for cut in cuts.split(",") if cut], int(end))
    relay.port = server.servers[0].sockets[0].getsockname()[1]
    front = await asyncio.start_server(relay.serve, "127.0.0.1", int(port))
    print(front.sockets[0].getsockname()[1], flush=True)
    asyncio.get_running_loop().add_reader(sys.stdin, lambda: os.read(0, 1) or os._exit(0))
    await relay.ended.wait()
    front.close()
    server.should_exit = True
    await serving
    os._exit(0)


asyncio.run(main(*sys.argv[1:]))
