"""A run over a corpus: units in, one Parquet file of results for each out, and a report.

Whatever engine it runs on, a unit is checked by `Run.check`, which writes its results under another name and renames them
when they are complete. So a run that is killed at any moment loses and doubles nothing: started again, it passes over
the units that are there. The folder of the results is named after everything that they depend on; with other rules or
another version all units are checked again.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from .._native import RESULT_VERSION, __version__
from . import units
from .compute import compute as pc
from .isolation import Isolated
from .operator import Operator
from .page import page
from .summary import Summary
from .units import Layout, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .isolation import BatchOperator

#: Where the metadata of a part has its summary.
SUMMARY = b"proofmark.summary"


@dataclass(frozen=True)
class Run:
    """A corpus, where its results go, and how it is checked.

    `operator` says the kind, the fixes and the arguments of the validator; its columns are set by the run. With `isolate`
    documents are validated in processes of their own, so that one that crashes its process is found and passed over;
    `max_crashes` is the limit for each process. A process that does not answer within `timeout` seconds has crashed.
    """

    corpus: Path
    out: Path
    layout: Layout = field(default_factory=Layout)
    operator: Operator = field(default_factory=Operator)
    isolate: bool = True
    max_crashes: int = 100
    timeout: float = 600.0

    @property
    def key(self) -> str:
        """What results depend on besides the documents."""
        operator = self.operator
        parts = [__version__, RESULT_VERSION, operator.validator.ruleset, operator.kind, operator.fix, asdict(self.layout)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return self.out / f"results-{self.key}"

    def units(self) -> list[Unit]:
        """The units of the corpus, large ones first."""
        endings = None
        if self.operator.kind is None:
            kinds = self.operator.validator.kinds()
            endings = [glob[1:] for kind in kinds for glob in kind["globs"] if glob.startswith("*.")]
        return units.find(self.corpus, endings, self.out)

    def part(self, unit: Unit) -> Path:
        """The file with the results of a unit."""
        return self.folder / f"part-{unit.key}.parquet"

    def done(self, unit: Unit) -> Summary | None:
        """The summary of a unit that is done."""
        try:
            metadata = pq.read_metadata(self.part(unit)).metadata
        except FileNotFoundError:
            return None
        return Summary.from_dict(json.loads(metadata[SUMMARY]))

    def check(self, unit: Unit, operator: BatchOperator | None = None) -> Summary:
        """Check a unit and write its results, unless they are there."""
        known = self.done(unit)
        if known is not None:
            return known
        own = Isolated(self._operator(), max_crashes=self.max_crashes, timeout=self.timeout) if self.isolate else None
        try:
            return self._written(unit, operator or own or self._operator())
        finally:
            if own is not None:
                own.close()

    def _operator(self) -> Operator:
        """The operator for the batches of units."""
        return replace(
            self.operator,
            text="text",
            kind_column="kind",
            name_column="name",
            keep=("id", "source"),
            timed=True,
            threads=1,
        )

    def isolated(self) -> BatchOperator:
        """The operator for many units: isolated, if the run is."""
        operator = self._operator()
        return Isolated(operator, max_crashes=self.max_crashes, timeout=self.timeout) if self.isolate else operator

    def _written(self, unit: Unit, operator: BatchOperator) -> Summary:
        path, summary = self.part(unit), Summary()
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            with partial.open("wb") as file:
                writer: pq.ParquetWriter | None = None
                for results in self._results(unit, operator, summary):
                    writer = writer or pq.ParquetWriter(file, results.schema, compression="zstd")
                    writer.write_batch(results)
                writer = writer or pq.ParquetWriter(file, self.schema(), compression="zstd")
                writer.add_key_value_metadata({SUMMARY.decode(): json.dumps(summary.to_dict())})
                writer.close()
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        return summary

    def _results(self, unit: Unit, operator: BatchOperator, summary: Summary) -> Iterator[pa.RecordBatch]:
        for batch in units.batches(unit, self.corpus, self.layout):
            unreadable = batch.column("unreadable") if "unreadable" in batch.schema.names else None
            documents = batch.select(units.SCHEMA.names)
            results = operator(documents)
            if unreadable is not None:
                at = results.schema.get_field_index("error")
                errors = pc.coalesce(unreadable, results.column(at))
                results = results.set_column(at, results.schema.field(at), errors)
            summary.add_results(results, documents.column("text").nbytes)
            yield results.drop_columns(["micros"])

    def schema(self) -> pa.Schema:
        """The columns of results."""
        schema = self._operator().schema(units.SCHEMA)
        return schema.remove(schema.get_field_index("micros"))

    def report(self, units: list[Unit], seconds: float | None = None) -> dict[str, Any]:
        """Write `report.json` and `report.html` over the units that are done; the report."""
        total, parts, missing = Summary(), [], 0
        for unit in sorted(units, key=lambda unit: unit.key):
            summary = self.done(unit)
            if summary is None:
                missing += 1
                continue
            total.add(summary)
            parts.append(self.part(unit).name)
        report = {
            "version": 1,
            "proofmark": __version__,
            "ruleset": self.operator.validator.ruleset,
            "results": self.folder.name,
            "complete": missing == 0,
            "units": {"done": len(parts), "missing": missing},
            "seconds": seconds,
            **total.to_dict(),
            "parts": parts,
        }
        self.out.mkdir(parents=True, exist_ok=True)
        _replace(self.out / "report.json", json.dumps(report, indent=2, ensure_ascii=False) + "\n")
        _replace(self.out / "report.html", page(report))
        return report


def _replace(path: Path, text: str) -> None:
    """Write a file in one step."""
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    partial.write_text(text, "utf-8")
    partial.replace(path)
