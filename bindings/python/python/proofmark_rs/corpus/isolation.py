"""Running an operator in a process of its own: a row that crashes the process is found, recorded, and passed over."""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from . import lifetime
from .frames import HEADER, read_frame, widen, write_frame

if TYPE_CHECKING:
    from types import TracebackType


class BatchOperator(Protocol):
    """A batch of documents in, a batch of results out."""

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch: ...


class IsolatedOperator(BatchOperator, Protocol):
    """What can be isolated: an `Operator`, or anything picklable that does the same."""

    def crashed(self, batch: pa.RecordBatch, error: str) -> pa.RecordBatch: ...


class TooManyCrashes(Exception):
    """More rows crashed the process than the limit allows; `rows` are those that were found."""

    def __init__(self, rows: list[dict[str, object]]) -> None:
        super().__init__(f"{len(rows)} rows crashed the process, which is more than the limit")
        self.rows = rows

    def __reduce__(self) -> tuple[type[TooManyCrashes], tuple[list[dict[str, object]]]]:
        return TooManyCrashes, (self.rows,)


class Isolated:
    """Runs an operator in a child process.

    When the child ends or does not answer within `timeout` seconds, the batch is halved until the one row is found that
    does it. That row gets the error `crashed`, all others are validated. After more than `max_crashes` such rows
    `TooManyCrashes` is raised. It can be pickled: every process starts a child of its own. The child ends with its process,
    whatever ends that.
    """

    def __init__(
        self, operator: IsolatedOperator, *, max_crashes: int = 100, timeout: float | None = 600.0
    ) -> None:
        self.operator = operator
        self.max_crashes = max_crashes
        self.timeout = timeout
        self.crashes: list[dict[str, object]] = []
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    def __getstate__(self) -> dict[str, object]:
        return {"operator": self.operator, "max_crashes": self.max_crashes, "timeout": self.timeout}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(  # type: ignore[misc]
            state["operator"], max_crashes=state["max_crashes"], timeout=state["timeout"]
        )

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The results of a batch, one row for each document."""
        parts = self._results(batch)
        return parts[0] if len(parts) == 1 else pa.concat_batches(parts)

    def _results(self, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
        result = self._ask(batch)
        if isinstance(result, pa.RecordBatch):
            return [result]
        if len(batch) > 1:
            middle = len(batch) // 2
            return self._results(batch.slice(0, middle)) + self._results(batch.slice(middle))
        text = getattr(self.operator, "text", None)
        row = {name: value for name, value in batch.to_pylist()[0].items() if name != text}
        self.crashes.append({**row, "error": result})
        if len(self.crashes) > self.max_crashes:
            raise TooManyCrashes(self.crashes)
        return [self.operator.crashed(batch, result)]

    def _ask(self, batch: pa.RecordBatch) -> pa.RecordBatch | str:
        """The results of a batch, or how the child failed on it."""
        # Its start does not count as time of the batch, and what goes wrong with it is not an error of a document.
        child = self._running()
        assert child.stdin is not None and child.stdout is not None
        try:
            write_frame(child.stdin, _packed(batch))
            if self.timeout is not None and not select.select([child.stdout], [], [], self.timeout)[0]:
                self.close()
                return f"crashed: no result within {self.timeout:g} s"
            answer = read_frame(child.stdout)
        except (BrokenPipeError, EOFError):
            return f"crashed: {self._ended()}"
        if answer[:1] == b"E":
            raise pickle.loads(answer[HEADER:])
        with pa.ipc.open_stream(pa.py_buffer(answer)[HEADER:]) as reader:
            return reader.read_next_batch()

    def _running(self) -> subprocess.Popen[bytes]:
        # After a fork the child belongs to the other process.
        if self._owner != os.getpid():
            self._child, self._owner = None, os.getpid()
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "proofmark_rs.corpus.child", str(lifetime.parent_for_children())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            )
            assert self._child.stdin is not None and self._child.stdout is not None
            widen(self._child.stdin)
            widen(self._child.stdout)
            try:
                write_frame(self._child.stdin, pickle.dumps(self.operator))
                read_frame(self._child.stdout)
            except (BrokenPipeError, EOFError):
                raise RuntimeError(f"the process for documents did not start: {self._ended()}") from None
        return self._child

    def _ended(self) -> str:
        """How the child ended."""
        child, self._child = self._child, None
        if child is None:
            return "the process ended"
        status = child.wait()
        return f"the process ended with signal {-status}" if status < 0 else f"the process ended with status {status}"

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None and self._owner == os.getpid():
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()

    def __enter__(self) -> Isolated:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def _packed(batch: pa.RecordBatch) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()
