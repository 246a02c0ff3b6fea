"""A pooler in transaction mode, as small as it can be: each transaction on any server connection.

It does what https://www.pgbouncer.org/features.html says of that mode, without passwords and TLS.
"""

import asyncio
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from psycopg.conninfo import conninfo_to_dict

from bot.store.postgres.address import Address

ENCRYPTION_REQUESTS = (80877103, 80877104)  # TLS, GSS
CANCEL_REQUEST = 80877102
IDLE = b"Z\0\0\0\x05I"
GONE = (asyncio.IncompleteReadError, ConnectionError)

Server = tuple[StreamReader, StreamWriter]


class Pooler:
    """Gives clients the server's connections in turn."""

    def __init__(self, address: Address) -> None:
        self._known = conninfo_to_dict(address.conninfo)
        self._free: asyncio.Queue[Server] = asyncio.Queue()
        self._greeting = b""
        self._clients: set[asyncio.Task[None]] = set()

    async def open(self, servers: int) -> None:
        for _ in range(servers):
            reader, writer = await asyncio.open_unix_connection(
                f"{self._known['host']}/.s.PGSQL.{self._known.get('port', 5432)}"
            )
            words = ["user", self._known["user"], "database", self._known["dbname"]]
            startup = b"".join(str(word).encode() + b"\0" for word in words) + b"\0"
            writer.write(struct.pack("!II", len(startup) + 8, 196608) + startup)
            self._greeting = b""
            while not (message := await _message(reader)).startswith(b"Z"):
                self._greeting += message
            self._greeting += message
            self._free.put_nowait((reader, writer))

    async def close(self) -> None:
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        while not self._free.empty():
            self._free.get_nowait()[1].close()

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        with suppress(*GONE, asyncio.CancelledError):
            if await self._is_greeted(reader, writer):
                while True:
                    await self._transaction(reader, writer)
        writer.close()

    async def _is_greeted(self, reader: StreamReader, writer: StreamWriter) -> bool:
        code = CANCEL_REQUEST
        for _ in range(3):
            (length, code) = struct.unpack("!II", await reader.readexactly(8))
            await reader.readexactly(length - 8)
            if code not in ENCRYPTION_REQUESTS:
                break
            writer.write(b"N")
        if code != CANCEL_REQUEST:
            writer.write(self._greeting)
        return code != CANCEL_REQUEST

    async def _transaction(self, reader: StreamReader, writer: StreamWriter) -> None:
        first = await _message(reader)
        if first.startswith(b"X"):
            raise ConnectionError
        server_reader, server_writer = await self._free.get()
        server_writer.write(first)
        sending = asyncio.create_task(_forward(reader, server_writer))
        try:
            while (answer := await _message(server_reader)) != IDLE:
                writer.write(answer)
        finally:
            sending.cancel()
            await asyncio.wait({sending})
            self._free.put_nowait((server_reader, server_writer))
        writer.write(answer)


async def _message(reader: StreamReader) -> bytes:
    head = await reader.readexactly(5)
    return head + await reader.readexactly(int.from_bytes(head[1:]) - 4)


async def _forward(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(*GONE):
        while True:
            writer.write(await _message(reader))


@asynccontextmanager
async def pooled(address: Address, *, servers: int = 2) -> AsyncIterator[str]:
    """Yield the address, without its options, of a pooler before a server of the tests' own."""
    pooler = Pooler(address)
    await pooler.open(servers)
    listening = await asyncio.start_server(pooler.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    known = conninfo_to_dict(address.conninfo)
    try:
        yield f"postgresql://{known['user']}@127.0.0.1:{port}/{known['dbname']}"
    finally:
        listening.close()
        await pooler.close()
