"""Pickling of tables of results: as an Arrow stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._native import Results

__all__ = ["reduced", "restored"]


def reduced(results: Results) -> tuple[Callable[[bytes], Results], tuple[bytes]]:
    """What `__reduce__` of results returns."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise TypeError("`Results` are pickled with pyarrow, which is not installed: convert them to another table") from error
    table = pa.table(results)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return restored, (sink.getvalue().to_pybytes(),)


def restored(state: bytes) -> Results:
    """The results in an Arrow stream."""
    import pyarrow as pa

    from ._native import _results  # pyright: ignore[reportPrivateUsage]

    with pa.ipc.open_stream(state) as reader:
        return _results(reader.read_all())
