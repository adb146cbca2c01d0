"""Finding the documents of a corpus, in units of work.

A unit is what is checked and written at once: a row group of a Parquet file, a part of a JSON Lines file, or a number of
documents in a folder. Its key stays the same as long as what it reads does, so that a run knows which units are done.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from . import places
from .compute import compute as pc
from .slices import BATCH_BYTES, BATCH_ROWS, limited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .places import Entry, Location, Place

#: Bytes of a part of a JSON Lines file at most, and of the documents of a folder that form a unit.
UNIT_BYTES = 32 * 1024 * 1024

#: Parts that a JSON Lines file has at least, so that many processes share it, as long as they have `LEAST_BYTES`.
PARTS, LEAST_BYTES = 16, 1024 * 1024

#: Bytes and lines at the beginning of a JSON Lines file that show which fields it has.
HEAD_BYTES, HEAD_LINES = 256 * 1024, 1000

JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst")
PARQUET = (".parquet",)
DATA = PARQUET + JSON_LINES

#: The code of the error of a file, or a part of one, that cannot be read. Another run tries it again.
UNREADABLE = "unreadable-file"


@dataclass(frozen=True)
class Unit:
    """A part of a corpus."""

    #: `parquet`, `json`, `files`, or `unreadable`.
    form: str
    #: The file, relative to the corpus; the first one for `files`.
    source: str
    #: Its size and its version, so that a changed file is checked again.
    size: int
    changed: int
    #: The row group, or the bytes from `start` to `end` of lines that begin there.
    group: int = 0
    start: int = 0
    end: int = 0
    #: The documents of `files`.
    files: tuple[str, ...] = ()
    #: Why a file that is `unreadable` cannot be read.
    error: str | None = None

    @property
    def key(self) -> str:
        """What identifies the unit and what it reads."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:24]

    @property
    def bytes(self) -> int:
        """About how much it reads."""
        return self.end - self.start if self.form == "json" and self.end else self.size


@dataclass(frozen=True)
class Layout:
    """Which fields of a corpus have what. A corpus must have those that are named; `id` is used by default where there is one."""

    text: str = "text"
    id: str | None = None
    kind_column: str | None = None
    name_column: str | None = None

    @property
    def id_column(self) -> str:
        """The field with the ids."""
        return self.id or "id"

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        named = (self.id_column, self.text, self.kind_column, self.name_column)
        return tuple(dict.fromkeys(name for name in named if name))

    def missing(self, known: Iterable[str], what: str) -> str | None:
        """Which field a file with these ones does not have."""
        known = list(known)
        for name in (self.text, self.id, self.kind_column, self.name_column):
            if name is not None and name not in known:
                return f"there is no {what} `{name}`; {what}s are {', '.join(known)}"
        return None


def find(
    corpus: Location,
    endings: Iterable[str] | None = None,
    without: Location | None = None,
    layout: Layout | None = None,
) -> list[Unit]:
    """The units of a corpus: a file, or a folder with data files, or one with documents.

    Data files are Parquet and JSON Lines, also compressed with gzip or zstd. A folder without any is one of documents,
    each in its own file; `endings` are those of their names. Hidden files and the folder `without` are left out. Large units
    come first, so that none is left for the end.

    A file that cannot be read is a unit with its error. Raises `ValueError` if no data file has the fields of `layout`.
    """
    place, single = places.corpus(corpus, DATA)
    entries = [place.entry(single)] if single is not None else sorted(place.entries(without), key=lambda one: one.name)
    units = [_unreadable(entry, entry.error) for entry in entries if entry.error is not None]
    entries = [entry for entry in entries if entry.error is None]
    data = [entry for entry in entries if entry.name.endswith(DATA)]
    if data:
        units += _data(place, data, layout or Layout())
    else:
        wanted = tuple(endings or ("",))
        units += _files([entry for entry in entries if entry.name.endswith(wanted)])
    return sorted(units, key=lambda unit: (-unit.bytes, unit.source, unit.group, unit.start))


def _unreadable(entry: Entry, error: str) -> Unit:
    return Unit("unreadable", entry.name, entry.size, entry.changed, error=error)


@dataclass
class _Found:
    """The units of data files, and which files do not have the fields that are asked for."""

    units: list[Unit] = field(default_factory=list)
    #: Whether there is a file with all of them.
    fits: bool = False
    mistakes: list[tuple[Entry, str]] = field(default_factory=list)


def _data(place: Place, entries: list[Entry], layout: Layout) -> list[Unit]:
    """The units of data files. What is wrong with the fields of all of them is a mistake in the arguments."""
    found = _Found()
    for entry in entries:
        if entry.name.endswith(PARQUET):
            _parquet(place, entry, layout, found)
        else:
            _json(place, entry, layout, found)
    if found.mistakes and not found.fits:
        entry, mistake = found.mistakes[0]
        raise ValueError(f"{entry.name}: {mistake}")
    # Rows of JSON Lines need not all have the same fields, so there each row has its own error.
    found.units += [_unreadable(entry, mistake) for entry, mistake in found.mistakes if entry.name.endswith(PARQUET)]
    return found.units


def _parquet(place: Place, entry: Entry, layout: Layout, found: _Found) -> None:
    try:
        with place.arrow_file(entry.name) as source, pq.ParquetFile(source) as file:
            metadata, schema = file.metadata, file.schema_arrow
    except Exception as error:  # noqa: BLE001 - whatever it is, the other files are not affected
        found.units.append(_unreadable(entry, places.reason(error)))
        return
    mistake = layout.missing(schema.names, "column") or _wrong_type(schema, layout)
    if mistake is not None:
        found.mistakes.append((entry, mistake))
        return
    found.fits = True
    found.units += [
        Unit("parquet", entry.name, metadata.row_group(group).total_byte_size, entry.changed, group=group)
        for group in range(metadata.num_row_groups)
    ]


def _wrong_type(schema: pa.Schema, layout: Layout) -> str | None:
    """Which column cannot be read as strings."""
    for name in layout.columns:
        at = schema.get_field_index(name)
        if at < 0:
            continue
        type_ = schema.field(at).type
        wanted = pa.large_binary() if name == layout.text else pa.string()
        try:
            pa.nulls(0, type_).cast(wanted)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            return f"column `{name}` has the type {type_}, not strings"
    return None


def _json(place: Place, entry: Entry, layout: Layout, found: _Found) -> None:
    if not found.fits:
        records = list(_head(place, entry))
        names = dict.fromkeys(itertools.chain.from_iterable(records))
        mistake = layout.missing(names, "field") if records else None
        texts = [record[layout.text] for record in records if record.get(layout.text) is not None]
        if texts and not any(isinstance(text, str) for text in texts):
            mistake = f"field `{layout.text}` has the type {type(texts[0]).__name__}, not strings"
        if mistake is not None:
            found.mistakes.append((entry, mistake))
        found.fits = bool(records) and mistake is None
    # A compressed file can be read only from its beginning.
    step = min(UNIT_BYTES, max(LEAST_BYTES, entry.size // PARTS))
    if _compression(entry.name) or not entry.size:
        step = max(entry.size, 1)
    found.units += [
        Unit("json", entry.name, entry.size, entry.changed, start=start, end=min(start + step, entry.size))
        for start in range(0, max(entry.size, 1), step)
    ]


def _head(place: Place, entry: Entry) -> Iterator[Mapping[str, Any]]:
    """The records at the beginning of a JSON Lines file, as far as they can be read."""
    try:
        with _stream(place, entry.name) as stream:
            block: bytes = stream.read(HEAD_BYTES)
    except Exception:  # noqa: BLE001 - it is an error of the unit
        return
    lines = block.split(b"\n")
    for line in lines[: HEAD_LINES if len(block) < HEAD_BYTES else min(HEAD_LINES, len(lines) - 1)]:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _files(entries: list[Entry]) -> Iterator[Unit]:
    group: list[Entry] = []
    total = 0
    for entry in entries:
        if group and total + entry.size > UNIT_BYTES:
            yield _unit_of_files(group)
            group, total = [], 0
        group.append(entry)
        total += entry.size
    if group:
        yield _unit_of_files(group)


def _unit_of_files(entries: list[Entry]) -> Unit:
    names = tuple(entry.name for entry in entries)
    size = sum(entry.size for entry in entries)
    versions = json.dumps([entry.changed for entry in entries])
    changed = int(hashlib.sha256(versions.encode()).hexdigest()[:15], 16)
    return Unit("files", names[0], size, changed, files=names)


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


def batches(unit: Unit, corpus: Location, layout: Layout) -> Iterator[pa.RecordBatch]:
    """The documents of a unit, in batches of limited size. What cannot be read is a row with its error."""
    place, _ = places.corpus(corpus, DATA)
    if unit.form == "unreadable":
        yield _failed(unit.source, unit.source, unit.error or "")
    elif unit.form == "parquet":
        yield from _batches_of_parquet(unit, place, layout)
    elif unit.form == "json":
        yield from _batched(_rows_of_json(unit, place, layout), unit.source)
    else:
        yield from _batched((_document(place, name) for name in unit.files), unit.source)


def _error(id_: str, problem: str) -> dict[str, Any]:
    return {"id": id_, "error": f"{UNREADABLE}: {problem}"}


def _failed(source: str, id_: str, problem: str) -> pa.RecordBatch:
    """The row of a file that cannot be read, or of the rest of it."""
    return _batch([_error(id_, problem)], source)


def _document(place: Place, name: str) -> dict[str, Any]:
    try:
        with place.open(name) as file:
            return {"id": name, "text": file.read(), "name": name}
    except OSError as error:
        return {**_error(name, places.reason(error)), "name": name}


def _batches_of_parquet(unit: Unit, place: Place, layout: Layout) -> Iterator[pa.RecordBatch]:
    first = 0
    # Only what reads is tried: an error of the operator is not one of the file.
    batches = _row_group(unit, place, layout)
    while True:
        try:
            following = next(batches, None)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other units are not affected
            yield _failed(unit.source, f"{unit.source}:{first}", f"row group {unit.group}: {places.reason(error)}")
            return
        if following is None:
            return
        first, batch = following
        if len(batch):
            yield from limited(batch, "text")


def _row_group(unit: Unit, place: Place, layout: Layout) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The batches of a row group, each with the number of the row in the file that follows it; the first one has no rows."""
    with place.arrow_file(unit.source) as source, pq.ParquetFile(source) as file:
        columns = [name for name in layout.columns if name in file.schema_arrow.names]
        first = sum(file.metadata.row_group(group).num_rows for group in range(unit.group))
        yield first, pa.RecordBatch.from_pylist([], schema=SCHEMA)
        for batch in file.iter_batches(BATCH_ROWS, row_groups=[unit.group], columns=columns):
            uniform = _uniform(batch, unit.source, layout, first)
            first += len(batch)
            yield first, uniform


def _uniform(batch: pa.RecordBatch, source: str, layout: Layout, first: int) -> pa.RecordBatch:
    """A batch with the columns of `SCHEMA`."""

    def column(name: str | None, type_: pa.DataType) -> pa.Array:
        at = batch.schema.get_field_index(name) if name else -1
        return batch.column(at).cast(type_) if at >= 0 else pa.nulls(len(batch), type_)

    ids = column(layout.id_column, pa.string())
    if ids.null_count:
        ids = pc.coalesce(ids, pa.array([f"{source}:{first + row}" for row in range(len(batch))]))
    sources = pa.array([source] * len(batch), pa.string())
    text = column(layout.text, pa.large_binary())
    kinds, names = column(layout.kind_column, pa.string()), column(layout.name_column, pa.string())
    return pa.RecordBatch.from_arrays([ids, sources, text, kinds, names], schema=SCHEMA)


def _rows_of_json(unit: Unit, place: Place, layout: Layout) -> Iterator[dict[str, Any]]:
    offset, lines = unit.start, _lines(unit, place)
    while True:
        try:
            following = next(lines, None)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other units are not affected
            yield _error(f"{unit.source}@{offset}", f"after byte {offset}: {places.reason(error)}")
            return
        if following is None:
            return
        offset, line = following
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise TypeError("a line is a JSON object")
        except (ValueError, TypeError, RecursionError) as error:
            yield {"id": f"{unit.source}@{offset}", "error": f"not-json: {error}"}
        else:
            yield _row(record, layout, f"{unit.source}@{offset}")


def _compression(name: str) -> str | None:
    return {"gz": "gzip", "zst": "zstd"}.get(name.rpartition(".")[2])


def _stream(place: Place, name: str) -> Any:
    """The content of a file, uncompressed."""
    compression = _compression(name)
    return pa.CompressedInputStream(place.arrow_file(name), compression) if compression else place.open(name)


def _lines(unit: Unit, place: Place) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in the unit, each with its offset."""
    with _stream(place, unit.source) as stream:
        if _compression(unit.source):
            yield from _split(stream, 0, None)
            return
        start = unit.start
        if start:
            # A line that begins before the unit belongs to the one before it.
            stream.seek(start - 1)
            start += len(stream.readline()) - 1
        # A server need not say how large a file is.
        yield from _split(stream, start, unit.end or None)


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


def _string(value: object) -> str | None:
    """A value of JSON as a string that Arrow can hold: without surrogates."""
    return None if value is None else str(value).encode("utf-8", "backslashreplace").decode()


def _row(record: dict[str, Any], layout: Layout, place: str) -> dict[str, Any]:
    text = record.get(layout.text)
    row = {
        "id": _string(record.get(layout.id_column)) or place,
        "kind": _string(record.get(layout.kind_column)) if layout.kind_column else None,
        "name": _string(record.get(layout.name_column)) if layout.name_column else None,
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
