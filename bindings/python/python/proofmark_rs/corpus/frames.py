"""Messages between an isolated operator and its process: a length of eight bytes, and the bytes."""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: Bytes of the letter at the beginning of an answer, with spaces: Arrow data after it is aligned.
HEADER = 8

_LENGTH = struct.Struct("<Q")


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
