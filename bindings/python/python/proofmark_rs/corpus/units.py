"""Finding the documents of a corpus, in units of work.

A unit is what is checked and written at once: a row group of a Parquet file, a part of a JSON Lines file, or a number of
documents in a folder. Its key stays the same as long as what it reads does, so that a run knows which units are done.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from .compute import compute as pc
from .slices import BATCH_BYTES, BATCH_ROWS, limited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Bytes of a part of a JSON Lines file, and of the documents of a folder that form a unit.
UNIT_BYTES = 32 * 1024 * 1024

JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst")
PARQUET = (".parquet",)


@dataclass(frozen=True)
class Unit:
    """A part of a corpus."""

    #: `parquet`, `json` or `files`.
    form: str
    #: The file, relative to the corpus; the first one for `files`.
    source: str
    #: Its size and its time of change, so that a changed file is checked again.
    size: int
    changed: int
    #: The row group, or the bytes from `start` to `end` of lines that begin there.
    group: int = 0
    start: int = 0
    end: int = 0
    #: The documents of `files`.
    files: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What identifies the unit and what it reads."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:24]

    @property
    def bytes(self) -> int:
        """About how much it reads."""
        return self.end - self.start if self.form == "json" and self.end else self.size


def find(corpus: Path, endings: Iterable[str] | None = None, without: Path | None = None) -> list[Unit]:
    """The units of a corpus: a file, or a folder with data files, or one with documents.

    Data files are Parquet and JSON Lines, also compressed with gzip or zstd. A folder without any is one of documents,
    each in its own file; `endings` are those of their names. Hidden files and the folder `without` are left out. Large units
    come first, so that none is left for the end.
    """
    paths = sorted(_below(corpus, without)) if corpus.is_dir() else [corpus]
    base = corpus if corpus.is_dir() else corpus.parent
    data = [path for path in paths if path.name.endswith(PARQUET + JSON_LINES)]
    units: list[Unit] = []
    for path in data:
        units += _parquet(path, base) if path.name.endswith(PARQUET) else _json(path, base)
    if not data:
        wanted = tuple(endings or ("",))
        units = list(_files([path for path in paths if path.name.endswith(wanted)], base))
    return sorted(units, key=lambda unit: (-unit.bytes, unit.source, unit.group, unit.start))


def _below(folder: Path, without: Path | None) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path == without:
            continue
        if path.is_dir():
            yield from _below(path, without)
        elif path.is_file():
            yield path


def _parquet(path: Path, base: Path) -> list[Unit]:
    state, name = path.stat(), path.relative_to(base).as_posix()
    metadata = pq.read_metadata(path)
    return [
        Unit("parquet", name, metadata.row_group(group).total_byte_size, state.st_mtime_ns, group=group)
        for group in range(metadata.num_row_groups)
    ]


def _json(path: Path, base: Path) -> list[Unit]:
    state, name = path.stat(), path.relative_to(base).as_posix()
    # A compressed file can be read only from its beginning.
    step = state.st_size if path.suffix in (".gz", ".zst") else UNIT_BYTES
    starts = range(0, max(state.st_size, 1), max(step, 1))
    return [
        Unit(
            "json", name, state.st_size, state.st_mtime_ns, start=start, end=min(start + step, state.st_size)
        )
        for start in starts
    ]


def _files(paths: list[Path], base: Path) -> Iterator[Unit]:
    group: list[Path] = []
    total = 0
    for path in paths:
        size = path.stat().st_size
        if group and total + size > UNIT_BYTES:
            yield _unit_of_files(group, base)
            group, total = [], 0
        group.append(path)
        total += size
    if group:
        yield _unit_of_files(group, base)


def _unit_of_files(paths: list[Path], base: Path) -> Unit:
    states = [path.stat() for path in paths]
    names = tuple(path.relative_to(base).as_posix() for path in paths)
    changed = max(state.st_mtime_ns for state in states)
    return Unit("files", names[0], sum(state.st_size for state in states), changed, files=names)


@dataclass(frozen=True)
class Layout:
    """Which fields of a corpus have what. Those that a corpus does not have are left out."""

    text: str = "text"
    id: str = "id"
    kind_column: str | None = None
    name_column: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        named = (self.id, self.text, self.kind_column, self.name_column)
        return tuple(dict.fromkeys(name for name in named if name))


#: The columns of batches: the id and the source of a document, its text, and where they are known its kind and name.
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("source", pa.string()),
        ("text", pa.large_binary()),
        ("kind", pa.string()),
        ("name", pa.string()),
    ]
)


def batches(unit: Unit, corpus: Path, layout: Layout) -> Iterator[pa.RecordBatch]:
    """The documents of a unit, in batches of limited size."""
    base = corpus if corpus.is_dir() else corpus.parent
    if unit.form == "parquet":
        yield from _batches_of_parquet(unit, base, layout)
    elif unit.form == "json":
        yield from _batched(_rows_of_json(unit, base, layout), unit.source)
    else:
        rows = ({"id": name, "text": (base / name).read_bytes(), "name": name} for name in unit.files)
        yield from _batched(rows, unit.source)


def _batches_of_parquet(unit: Unit, base: Path, layout: Layout) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(base / unit.source) as file:
        known = file.schema_arrow.names
        if layout.text not in known:
            raise ValueError(f"{unit.source}: there is no column `{layout.text}`; columns are {', '.join(known)}")
        columns = [name for name in layout.columns if name in known]
        first = sum(file.metadata.row_group(group).num_rows for group in range(unit.group))
        for batch in file.iter_batches(BATCH_ROWS, row_groups=[unit.group], columns=columns):
            yield from limited(_uniform(batch, unit.source, layout, first), "text")
            first += len(batch)


def _uniform(batch: pa.RecordBatch, source: str, layout: Layout, first: int) -> pa.RecordBatch:
    """A batch with the columns of `SCHEMA`."""

    def column(name: str | None, type_: pa.DataType) -> pa.Array:
        at = batch.schema.get_field_index(name) if name else -1
        return batch.column(at).cast(type_) if at >= 0 else pa.nulls(len(batch), type_)

    ids = column(layout.id, pa.string())
    if ids.null_count:
        ids = pc.coalesce(ids, pa.array([f"{source}:{first + row}" for row in range(len(batch))]))
    sources = pa.array([source] * len(batch), pa.string())
    text = column(layout.text, pa.large_binary())
    kinds, names = column(layout.kind_column, pa.string()), column(layout.name_column, pa.string())
    return pa.RecordBatch.from_arrays([ids, sources, text, kinds, names], schema=SCHEMA)


def _rows_of_json(unit: Unit, base: Path, layout: Layout) -> Iterator[dict[str, Any]]:
    for offset, line in _lines(unit, base):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise TypeError("a line is a JSON object")
        except (ValueError, TypeError) as error:
            yield {"id": f"{unit.source}@{offset}", "error": f"not-json: {error}"}
        else:
            yield _row(record, layout, f"{unit.source}@{offset}")


def _lines(unit: Unit, base: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in the unit, each with its offset."""
    path = base / unit.source
    if path.suffix in (".gz", ".zst"):
        compression = {".gz": "gzip", ".zst": "zstd"}[path.suffix]
        with pa.input_stream(str(path), compression=compression) as stream:
            yield from _split(stream, 0, None)
        return
    with path.open("rb") as stream:
        start = unit.start
        if start:
            # A line that begins before the unit belongs to the one before it.
            stream.seek(start - 1)
            start += len(stream.readline()) - 1
        yield from _split(stream, start, unit.end)


def _split(stream: Any, offset: int, end: int | None) -> Iterator[tuple[int, bytes]]:
    rest = b""
    while True:
        block = stream.read(1 << 20)
        lines = (rest + block).split(b"\n")
        rest = lines.pop() if block else b""
        for line in lines:
            if end is not None and offset >= end:
                return
            yield offset, line
            offset += len(line) + 1
        if not block:
            return


def _row(record: dict[str, Any], layout: Layout, place: str) -> dict[str, Any]:
    text = record.get(layout.text)
    row = {
        "id": str(record.get(layout.id) if record.get(layout.id) is not None else place),
        "kind": record.get(layout.kind_column) if layout.kind_column else None,
        "name": record.get(layout.name_column) if layout.name_column else None,
    }
    if text is None:
        return {**row, "text": None}
    if isinstance(text, str):
        return {**row, "text": text.encode("utf-8", "surrogatepass")}
    if isinstance(text, bytes):
        return {**row, "text": text}
    return {**row, "error": f"not-text: `{layout.text}` is of the type {type(text).__name__}"}


def _batched(rows: Iterable[dict[str, Any]], source: str) -> Iterator[pa.RecordBatch]:
    pending: list[dict[str, Any]] = []
    total = 0
    for row in rows:
        size = len(row.get("text") or b"")
        if pending and (total + size > BATCH_BYTES or len(pending) >= BATCH_ROWS):
            yield _batch(pending, source)
            pending, total = [], 0
        pending.append(row)
        total += size
    if pending:
        yield _batch(pending, source)


def _batch(rows: list[dict[str, Any]], source: str) -> pa.RecordBatch:
    filled = [{**row, "source": source} for row in rows]
    batch = pa.RecordBatch.from_pylist(filled, schema=SCHEMA)
    if any("error" in row for row in rows):
        errors = pa.array([row.get("error") for row in rows], pa.string())
        batch = batch.append_column("unreadable", errors)
    return batch
