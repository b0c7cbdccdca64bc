"""Where an attack may look for something to steal: files, an environment, a process, sockets that answer with a secret.

They must not know who attacks, or how.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

LONGEST_WORD = 200  # bytes of what somebody says that are kept


class Decoys:
    """Holders of `secret` on this machine, outside of any sandbox. `heard`: who was spoken to, and with what words."""

    def __init__(self, folder: Path, secret: str) -> None:
        self.folder, self.secret = folder, secret
        self.home = folder / "home"
        self.docker, self.trusting = folder / "docker.sock", folder / "trusting.sock"
        self.abstract = f"decoy-{os.getpid()}"
        self.heard: list[tuple[str, bytes]] = []
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        (self.home / ".ssh").mkdir(parents=True)
        (self.home / ".ssh" / "id_ed25519").write_text(self.secret)
        (self.folder / "notes.txt").write_text(self.secret)
        self._tcp = self._listen(socket.AF_INET, ("127.0.0.1", 0))
        self._listen(socket.AF_UNIX, f"\0{self.abstract}")
        for path in (self.docker, self.trusting):
            self._listen(socket.AF_UNIX, str(path))
            path.chmod(0o777)
        for path in (self.folder, self.home, self.home / ".ssh"):
            path.chmod(0o755)
        command = [sys.executable, "-c", "import sys; sys.stdin.read()", self.secret]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stack.close()
        self._process.communicate()

    @property
    def port(self) -> int:
        return int(self._tcp.getsockname()[1])

    @property
    def environment(self) -> dict[str, str]:
        """For the process that is attacked: the secret, and a home that holds it."""
        return {"DECOY_TOKEN": self.secret, "HOME": str(self.home)}

    def _listen(self, family: socket.AddressFamily, address: tuple[str, int] | str) -> socket.socket:
        server = self._stack.enter_context(socket.create_server(address, family=family))
        threading.Thread(target=self._answer, args=(server, str(address)), daemon=True).start()
        self._stack.callback(server.shutdown, socket.SHUT_RDWR)
        return server

    def _answer(self, server: socket.socket, address: str) -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:  # shut down
                return
            with client, contextlib.suppress(OSError):
                client.settimeout(1)
                self.heard.append((address, client.recv(LONGEST_WORD)))
                client.sendall(self.secret.encode())
