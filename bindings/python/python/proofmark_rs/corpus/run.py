"""A run over a corpus: units in, one Parquet file of results for each out, and a report.

Whatever engine it runs on, a unit is checked by `Run.check`, which writes its results under another name and renames them
when they are complete. So a run that is killed at any moment loses and doubles nothing: started again, it passes over
the units that are there. The folder of the results is named after the corpus and everything else that they depend on; with
other rules or another version all units are checked again. It has the parts of one state of the corpus: `Run.left` removes
those of files that have changed or are not there any more before any other is written.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from .._native import RESULT_VERSION, __version__
from . import places, units
from .compute import compute as pc
from .isolation import Isolated
from .operator import Operator
from .page import page
from .summary import Summary
from .units import Layout, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .isolation import BatchOperator
    from .places import Location, Place

#: Where the metadata of a part has its summary.
SUMMARY = b"proofmark.summary"

#: The deadline of a validator that is made without one.
DEADLINE = 10.0


@dataclass(frozen=True)
class Run:
    """A corpus, where its results go (paths or URLs), and how it is checked.

    `operator` says the kind, the fixes and the arguments of the validator; its columns are set by the run. With `isolate`
    documents are validated in processes of their own, so that one that crashes its process is found and passed over;
    `max_crashes` is the limit for each process. A process that does not answer within `timeout` seconds has crashed.
    """

    corpus: Location
    out: Location
    layout: Layout = field(default_factory=Layout)
    operator: Operator = field(default_factory=Operator)
    isolate: bool = True
    max_crashes: int = 100
    timeout: float = 600.0

    @property
    def key(self) -> str:
        """What results depend on besides the documents."""
        operator = self.operator
        parts = [
            __version__,
            RESULT_VERSION,
            str(self.corpus),
            operator.validator.results_key,
            operator.options.get("deadline", DEADLINE),
            operator.kind,
            operator.fix,
            asdict(self.layout),
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def folder(self) -> Location:
        """The folder of the results."""
        return places.inside(self.out, f"results-{self.key}")

    @functools.cached_property
    def _place(self) -> Place:
        return places.at(self.folder)

    def __getstate__(self) -> dict[str, Any]:
        # Connections to object stores belong to a process.
        return {name: value for name, value in self.__dict__.items() if name != "_place"}

    def units(self) -> list[Unit]:
        """The units of the corpus, large ones first."""
        endings = None
        if self.operator.kind is None:
            kinds = self.operator.validator.kinds()
            endings = [glob[1:] for kind in kinds for glob in kind["globs"] if glob.startswith("*.")]
        return units.find(self.corpus, endings, self.out, self.layout)

    def left(self, units_: list[Unit]) -> list[Unit]:
        """The units that are to be checked: the others are done. Removes the parts of units that the corpus does not have any
        more, and of what could not be read, so that no document is there twice."""
        wanted = {self.part(unit) for unit in units_}
        parts = {name for name in self._place.names() if name.startswith("part-")}
        for name in parts - wanted:
            self._place.remove(name)
        self._place.remove_abandoned()
        left: list[Unit] = []
        for unit in units_:
            summary = self.done(unit) if self.part(unit) in parts else None
            if summary is not None and units.UNREADABLE in summary.by_error:
                self._place.remove(self.part(unit))
                summary = None
            if summary is None:
                left.append(unit)
        return left

    def part(self, unit: Unit) -> str:
        """The name of the file with the results of a unit."""
        return f"part-{unit.key}.parquet"

    def done(self, unit: Unit) -> Summary | None:
        """The summary of a unit that is done. A part that is damaged is not: it is written again."""
        try:
            with self._place.arrow_file(self.part(unit)) as file:
                metadata = pq.read_metadata(file).metadata
            return Summary.from_dict(json.loads(metadata[SUMMARY]))
        except FileNotFoundError:
            return None
        except OSError as error:
            # Errors of the file system have a number, those of the format do not.
            if error.errno is not None:
                raise
            return None
        except (ValueError, KeyError, TypeError):
            return None

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
        summary = Summary()
        with self._place.writing(self.part(unit)) as file:
            writer: pq.ParquetWriter | None = None
            for results in self._results(unit, operator, summary):
                writer = writer or pq.ParquetWriter(file, results.schema, compression="zstd")
                writer.write_batch(results)
            writer = writer or pq.ParquetWriter(file, self.schema(), compression="zstd")
            writer.add_key_value_metadata({SUMMARY.decode(): json.dumps(summary.to_dict())})
            writer.close()
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
        """Write `report.json` and `report.html` over the units that are done; the report.

        `seconds` is the time of this run. That of earlier ones with the same results is added.
        """
        total, parts, missing = Summary(), [], 0
        for unit in sorted(units, key=lambda unit: unit.key):
            summary = self.done(unit)
            if summary is None:
                missing += 1
                continue
            total.add(summary)
            parts.append(self.part(unit))
        out, folder, validator = places.at(self.out), f"results-{self.key}", self.operator.validator
        spent = [one for one in (_earlier(out, folder), seconds) if one is not None]
        names = {rule["id"]: rule["name"] for rule in validator.rules()}
        report = {
            "version": 1,
            "proofmark": __version__,
            "ruleset": validator.ruleset,
            "results": folder,
            "complete": missing == 0,
            "units": {"done": len(parts), "missing": missing},
            "seconds": round(math.fsum(spent), 3) if spent else None,
            **total.to_dict(),
            "rules": {rule: names[rule] for rule in total.by_rule if rule in names},
            "parts": parts,
        }
        for name, text in (("report.json", json.dumps(report, indent=2, ensure_ascii=False) + "\n"), ("report.html", page(report))):
            with out.writing(name) as file:
                file.write(text.encode("utf-8", "backslashreplace"))
        return report


def _earlier(out: Place, folder: str) -> float | None:
    """How long the runs took whose report is there, if it is one over the same results."""
    try:
        with out.open("report.json") as file:
            report = json.load(file)
        return float(report["seconds"]) if report["results"] == folder else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
