"""Runs work in a forked child, stopped at every system call, to let it pass, fail or die.

A debugger of sixty lines: `ptrace` by way of ctypes, so that nothing need be installed. It knows
the registers of one machine only, Linux on x86-64.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

KILL = 0
"""What a watcher answers to have the process killed as it enters a call."""

_TRACEME, _POKEUSER, _GETREGS, _SYSCALL, _SETOPTIONS = 0, 6, 12, 24, 0x4200
_TELL_CALLS, _DIE_WITH_US = 0x01, 0x100000
_RESULT, _NUMBER, _ARGUMENTS = 10, 15, (14, 13, 12, 7)  # places in the array of registers
_Registers = ctypes.c_longlong * 27

NAMES = {
    0: "read", 1: "write", 2: "open", 3: "close", 4: "stat", 5: "fstat", 6: "lstat", 8: "lseek",
    9: "mmap", 12: "brk", 17: "pread", 18: "pwrite", 21: "access", 25: "mremap", 72: "fcntl",
    74: "fsync", 75: "fdatasync", 77: "ftruncate", 82: "rename", 83: "mkdir", 86: "link",
    87: "unlink", 89: "readlink", 90: "chmod", 91: "fchmod", 93: "fchown", 257: "openat",
    262: "newfstatat", 263: "unlinkat", 265: "linkat", 267: "readlinkat", 269: "faccessat",
    332: "statx", 439: "faccessat2",
}  # fmt: skip
"""The calls that touch files or memory, which are those that can be made to fail."""


def available() -> bool:
    """Tell whether a process can be traced here."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return False
    try:
        return traced(lambda: None, Counting()) == 0
    except OSError:
        return False


@dataclass(frozen=True)
class Call:
    """One system call of a traced process, as it is entered."""

    process: int
    number: int
    arguments: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of a call that touches files or memory; else empty."""
        return NAMES.get(self.number, "")

    def file(self, descriptor: int) -> Path:
        """Return the file behind one of the process's descriptors."""
        return Path(f"/proc/{self.process}/fd/{descriptor}").readlink()

    def memory(self, address: int, size: int) -> bytes:
        """Return what the process has in its memory."""
        with Path(f"/proc/{self.process}/mem").open("rb", buffering=0) as memory:
            memory.seek(address)
            return memory.read(size)

    def text(self, address: int) -> str:
        """Return a text that ends with a NUL in the process's memory."""
        found = b""
        while b"\0" not in found:
            # Not beyond the page: the next one may not be there.
            found += self.memory(address + len(found), -(address + len(found)) % 4096 or 4096)
        return found.split(b"\0")[0].decode()


class Watcher(Protocol):
    """Decides what becomes of each system call."""

    def entering(self, call: Call) -> int | None:
        """Return None to let a call pass, an errno to have it fail, or `KILL`."""
        ...

    def leaving(self, call: Call, result: int) -> None:
        """Learn what a call gave."""
        ...


class Counting:
    """Lets everything pass and counts it."""

    def __init__(self) -> None:
        self.calls = 0

    def entering(self, call: Call) -> int | None:  # noqa: ARG002
        self.calls += 1
        return None

    def leaving(self, call: Call, result: int) -> None: ...


class Striking(Counting):
    """Kills the process, or has a call fail, at the call with a given number.

    Only calls that `counts` is true for are counted.
    """

    def __init__(
        self,
        when: int,
        blow: int,
        counts: Callable[[Call], bool] = lambda _: True,
        for_good: bool = False,
    ) -> None:
        super().__init__()
        self._when, self._blow, self._counts, self._for_good = when, blow, counts, for_good
        self.struck = ""

    def entering(self, call: Call) -> int | None:
        if not self._counts(call):
            return None
        super().entering(call)
        if self.calls == self._when or (self._for_good and self.calls > self._when):
            self.struck = call.name or str(call.number)
            return self._blow
        return None


def traced(work: Callable[[], None], watcher: Watcher) -> int:
    """Do `work` in a child under the eyes of `watcher`; return its exit status, −9 if killed."""
    child = os.fork()
    if child == 0:
        _be_traced(work)
    os.waitpid(child, 0)
    try:
        _ptrace(_SETOPTIONS, child, 0, _TELL_CALLS | _DIE_WITH_US)
        return _follow(child, watcher)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _be_traced(work: Callable[[], None]) -> None:
    status = 70
    try:
        _ptrace(_TRACEME, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        work()
        status = 0
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:  # noqa: BLE001 - told, and ended with a status that nothing else has
        traceback.print_exc()
    finally:
        os._exit(status)


def _follow(child: int, watcher: Watcher) -> int:
    call, verdict, passed_on = None, None, 0
    while True:
        _ptrace(_SYSCALL, child, 0, passed_on)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status)
        stopped = os.WSTOPSIG(status)
        passed_on = 0 if stopped == signal.SIGTRAP | 0x80 else stopped
        if passed_on:
            continue
        if call is None:
            registers = _registers(child)
            call = Call(child, registers[_NUMBER], tuple(registers[at] for at in _ARGUMENTS))
            verdict = watcher.entering(call)
            if verdict == KILL:
                os.kill(child, signal.SIGKILL)
            elif verdict is not None:
                _ptrace(_POKEUSER, child, 8 * _NUMBER, -1)
        else:
            if verdict is not None:
                _ptrace(_POKEUSER, child, 8 * _RESULT, -verdict)
            watcher.leaving(call, _registers(child)[_RESULT])
            call = None


def _registers(child: int) -> list[int]:
    registers = _Registers()
    _ptrace(_GETREGS, child, 0, ctypes.addressof(registers))
    return list(registers)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.restype = ctypes.c_long
    library.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    return library


def _ptrace(request: int, process: int, address: int, data: int) -> None:
    if _library().ptrace(request, process, address, data) == -1:
        problem = ctypes.get_errno()
        # A child that is killed while it is held is gone at the next word to it.
        if problem != errno.ESRCH:
            raise OSError(problem, os.strerror(problem))
