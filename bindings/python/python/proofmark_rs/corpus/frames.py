"""Messages between an isolated operator and its process: a length of eight bytes, and the bytes."""

from __future__ import annotations

import contextlib
import fcntl
import struct
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: Bytes of the letter at the beginning of an answer, with spaces: Arrow data after it is aligned.
HEADER = 8

_LENGTH = struct.Struct("<Q")


#: Bytes that a pipe is to hold: with the usual 64 KB the two processes would wait for each other sixty times for each batch.
_PIPE = 1024 * 1024


def widen(stream: IO[bytes]) -> None:
    """Let a pipe hold more, where the system can."""
    resize = getattr(fcntl, "F_SETPIPE_SZ", None)
    if resize is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(stream.fileno(), resize, _PIPE)


def write_frame(stream: IO[bytes], content: Buffer) -> None:
    """Write a message."""
    stream.write(_LENGTH.pack(memoryview(content).nbytes))
    stream.write(content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes:
    """Read a message. Raises `EOFError` at the end of the stream, also within a message."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content
