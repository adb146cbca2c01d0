"""The process of an isolated operator: `python -m proofmark_rs.corpus.child PARENT`.

It ends with its parent, the process with this id: see `lifetime`.

The first message is the pickled operator; the answer to it is empty. Each further one is a batch as an Arrow stream; the answer is its result
(`R`, spaces, an Arrow stream) or an exception (`E`, spaces, its pickle).
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import TYPE_CHECKING

import pyarrow as pa

from . import lifetime
from .frames import HEADER, read_frame, write_frame

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .isolation import BatchOperator


def main() -> None:
    """Answer batches until the parent closes the pipe."""
    # A terminal sends Ctrl-C to this process, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source = sys.stdin.buffer
    lifetime.end_with(int(sys.argv[1]))
    lifetime.end_with_pipe(source.fileno())
    # What libraries print must not get between the messages.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        operator: BatchOperator = pickle.loads(read_frame(source))
        # Opened now, so that the time of the first batch is that of its documents.
        getattr(operator, "validator", None)
        write_frame(answers, b"")
        while True:
            with pa.ipc.open_stream(read_frame(source)) as reader:
                batch = reader.read_next_batch()
            write_frame(answers, _answer(operator, batch))
    except EOFError:
        return


def _answer(operator: BatchOperator, batch: pa.RecordBatch) -> Buffer:
    try:
        result = operator(batch)
    except Exception as error:  # noqa: BLE001 - every failure is the caller's to handle
        return b"E".ljust(HEADER) + _pickled(error)
    sink = pa.BufferOutputStream()
    sink.write(b"R".ljust(HEADER))
    with pa.ipc.new_stream(sink, result.schema) as writer:
        writer.write_batch(result)
    answer: Buffer = sink.getvalue()
    return answer


def _pickled(error: Exception) -> bytes:
    try:
        return pickle.dumps(error)
    except Exception:  # noqa: BLE001 - an error that cannot be pickled still has a message
        return pickle.dumps(RuntimeError(repr(error)))


if __name__ == "__main__":
    main()
