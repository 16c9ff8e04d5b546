"""A stand-in for the way to a server, which breaks when it is told to."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

Breaks = Callable[[int, bytes], str]
"""What becomes of a message, by its number and its bytes: "pass", "drop", or "mute" the reply."""

NAME = ".s.PGSQL.5432"


class Proxy:
    """Hands messages on between clients and a server's socket; counts those of clients."""

    def __init__(self, server: Path, folder: Path, breaks: Breaks) -> None:
        self.server, self.folder, self.breaks = server, folder, breaks
        self.messages: list[bytes] = []
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / NAME))
        self._door.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Let nobody in any more."""
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                self._talk(client)

    def _talk(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(str(self.server / NAME))
            with suppress(OSError):
                while message := client.recv(1 << 20):
                    if message[:1] == b"X":  # a farewell, which nobody waits for
                        break
                    self.messages.append(message)
                    what = self.breaks(len(self.messages), message)
                    if what == "drop":
                        break
                    server.sendall(message)
                    answer = _answer(server)
                    if what == "mute":
                        break
                    # One message, one answer: ours are asked in turn.
                    client.sendall(answer)


def _answer(server: socket.socket) -> bytes:
    """Return what the server says until it is ready for the next message."""
    said = b""
    while True:
        part = server.recv(1 << 20)
        said += part
        if not part or said[-6:-1] == b"Z\x00\x00\x00\x05":
            return said


@contextmanager
def intercept(server: Path, breaks: Breaks) -> Generator[Proxy]:
    """Put a proxy before a server's socket, in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="sfumato-"))
    proxy = Proxy(server, folder, breaks)
    try:
        yield proxy
    finally:
        proxy.close()
        shutil.rmtree(folder, ignore_errors=True)
