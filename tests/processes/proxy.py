"""A network that can be broken at will: a TCP proxy before a PostgreSQL server."""

import asyncio
import socket
import struct
import threading
from contextlib import suppress

from archiv.databases import Address

_CHUNK = 1 << 16
# Closing with this option sends RST, as a machine does that knows nothing of the connection.
_RESET = struct.pack("ii", 1, 0)


class Proxy:
    """Listens on 127.0.0.1 and passes on to where an address leads, in a thread of its own until `close`.

    The attributes may be set from any thread at any moment, and hold for connections that stand too.
    """

    def __init__(self, target: Address) -> None:
        self._target = target
        #: Seconds for which each piece is kept before it is passed on.
        self.delay = 0.0
        #: Whether what the server answers is thrown away.
        self.is_mute = False
        #: Whether new connections are closed at once.
        self.refuses = False
        #: Connections taken so far.
        self.taken = 0
        #: Both ends of each connection that stands, the client's first.
        self._open: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._way = asyncio.Event()
        self._way.set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        #: Where it listens.
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.create_task(self._serve())
        self._loop.run_forever()

    async def _serve(self) -> None:
        self._server = await asyncio.start_server(self._take, sock=self._listening)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.taken += 1
        taking = asyncio.current_task()
        assert taking is not None, "the server takes each connection in a task"
        self._tasks.add(taking)
        try:
            if self.refuses:
                raise ConnectionRefusedError
            onward = await self._connect()
        except (OSError, asyncio.CancelledError):
            await _close(writer)
            return
        finally:
            self._tasks.discard(taking)
        both = (writer, onward[1])
        self._open.add(both)
        self._pump(reader, onward[1], both, down=False)
        self._pump(onward[0], writer, both, down=True)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = self._target.host, self._target.port or "5432"
        if self._target.on_socket:
            return await asyncio.open_unix_connection(f"{host or '/var/run/postgresql'}/.s.PGSQL.{port}")
        return await asyncio.open_connection(host, int(port))

    def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        both: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
        *,
        down: bool,
    ) -> None:
        task = self._loop.create_task(self._pass_on(reader, writer, both, down=down))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _pass_on(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        both: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
        *,
        down: bool,
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(_CHUNK):
                if self.delay:
                    await asyncio.sleep(self.delay)
                await self._way.wait()
                if not (down and self.is_mute):
                    writer.write(data)
                    await writer.drain()
        # In a hole the end of a connection is not heard of either.
        await self._way.wait()
        await _close(*both)
        self._open.discard(both)

    def swallow(self) -> None:
        """Let nothing through any more, not even the end of a connection, and let nobody know."""
        self._loop.call_soon_threadsafe(self._way.clear)

    def let_through(self) -> None:
        """Pass on what was swallowed, and go on."""
        self._loop.call_soon_threadsafe(self._way.set)

    def reset(self) -> int:
        """Cut all connections that stand, as a network does, and not as a server; returns how many."""
        return asyncio.run_coroutine_threadsafe(self._reset(), self._loop).result(10)

    async def _reset(self) -> int:
        cut = list(self._open)
        for client, _ in cut:
            with suppress(OSError):
                client.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            client.transport.abort()
        return len(cut)

    def close(self) -> None:
        """Cut everything and listen no more."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _end(self) -> None:
        self.refuses = True
        # A server that is closed refuses what it accepted a moment ago, and leaves it open: first nothing
        # more is accepted, and what was gets its turn.
        self._loop.remove_reader(self._listening)
        await asyncio.sleep(0.01)
        self._server.close()
        # Until nothing is left: one taken a moment ago is not among the tasks yet, and transports that
        # were cut close their sockets in a turn of the loop to come.
        rounds = 0
        while rounds < 3 or self._tasks or self._open:
            tasks = list(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            while self._open:
                await _close(*self._open.pop())
            await asyncio.sleep(0.01)
            rounds += 1


async def _close(*writers: asyncio.StreamWriter) -> None:
    for writer in writers:
        writer.transport.abort()
        # Two may wait for one end, and who is cancelled meanwhile cancels the other's waiting too.
        with suppress(OSError, asyncio.CancelledError):
            await writer.wait_closed()
