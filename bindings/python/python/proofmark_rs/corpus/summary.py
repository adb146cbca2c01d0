"""What a run counts. Summaries of parts are added to one of the whole."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .compute import compute as pc

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Documents that are kept: the slowest ones, those that were not validated, samples of each rule.
SLOWEST, POISONED, SAMPLES = 20, 1000, 3


@dataclass
class Summary:
    """Counts over documents, with examples."""

    documents: int = 0
    valid: int = 0
    not_validated: int = 0
    bytes: int = 0
    micros: int = 0
    by_rule: Counter[str] = field(default_factory=Counter)
    by_severity: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    invalid_by_kind: Counter[str] = field(default_factory=Counter)
    by_source: Counter[str] = field(default_factory=Counter)
    invalid_by_source: Counter[str] = field(default_factory=Counter)
    by_error: Counter[str] = field(default_factory=Counter)
    slowest: list[dict[str, Any]] = field(default_factory=list)
    poisoned: list[dict[str, Any]] = field(default_factory=list)
    samples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add_results(self, results: pa.RecordBatch, size: int) -> None:
        """Count a batch of results with `id`, `source` and `micros`, of documents that are this large."""
        source = results.column("source")[0].as_py()
        valid = pc.sum(results.column("valid")).as_py() or 0
        kinds, errors, micros = results.column("kind"), results.column("error"), results.column("micros")
        self.documents += len(results)
        self.valid += valid
        self.bytes += size
        self.micros += pc.sum(micros).as_py() or 0
        self.by_source[source] += len(results)
        self.invalid_by_source[source] += len(results) - valid
        self.not_validated += len(results) - errors.null_count
        _count(self.by_kind, kinds)
        _count(self.invalid_by_kind, kinds.filter(pc.invert(results.column("valid"))))
        self._add_diagnostics(results, source)
        if errors.null_count < len(results):
            self._add_errors(results.filter(pc.is_valid(errors)))
        order = pc.select_k_unstable(results, SLOWEST, [("micros", "descending")])
        rows = results.select(["id", "source", "micros"]).take(order).to_pylist()
        self.slowest = heapq.nlargest(SLOWEST, self.slowest + rows, key=lambda row: row["micros"])

    def _add_diagnostics(self, results: pa.RecordBatch, source: str) -> None:
        lists = results.column("diagnostics")
        found = lists.flatten()
        if not len(found):
            return
        _count(self.by_severity, found.field("severity"))
        rules = found.field("id")
        _count(self.by_rule, rules)
        parents: pa.Array | None = None
        for rule in pc.unique(rules).to_pylist():
            samples = self.samples.setdefault(rule, [])
            if len(samples) >= SAMPLES:
                continue
            if parents is None:
                parents = pc.list_parent_indices(lists)
            at = pc.index(rules, rule).as_py()
            one = found[at].as_py()
            document = results.column("id")[parents[at].as_py()].as_py()
            samples.append(
                {"id": document, "source": source, "line": one["line"], "message": one["message"], "severity": one["severity"]}
            )

    def _add_errors(self, results: pa.RecordBatch) -> None:
        for row in results.select(["id", "source", "error"]).to_pylist():
            self.by_error[row["error"].split(":", 1)[0]] += 1
            if len(self.poisoned) < POISONED:
                self.poisoned.append(row)

    def add(self, other: Summary) -> None:
        """Add the counts of another part."""
        for name in ("documents", "valid", "not_validated", "bytes", "micros"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self.slowest = heapq.nlargest(SLOWEST, self.slowest + other.slowest, key=lambda row: row["micros"])
        self.poisoned = (self.poisoned + other.poisoned)[:POISONED]
        for rule, samples in other.samples.items():
            self.samples[rule] = (self.samples.get(rule, []) + samples)[:SAMPLES]

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        counters = {name: dict(getattr(self, name).most_common()) for name in COUNTERS}
        return {
            "documents": self.documents,
            "valid": self.valid,
            "invalid": self.documents - self.valid - self.not_validated,
            "not_validated": self.not_validated,
            "bytes": self.bytes,
            "micros": self.micros,
            **counters,
            "slowest": self.slowest,
            "poisoned": self.poisoned,
            "samples": dict(sorted(self.samples.items())),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Summary:
        """The summary that `to_dict` has written."""
        fields: dict[str, Any] = {name: values[name] for name in cls.__dataclass_fields__}
        for name in COUNTERS:
            fields[name] = Counter(fields[name])
        return cls(**fields)


COUNTERS = (
    "by_rule",
    "by_severity",
    "by_kind",
    "invalid_by_kind",
    "by_source",
    "invalid_by_source",
    "by_error",
)


def _count(counter: Counter[str], values: pa.Array) -> None:
    for pair in pc.value_counts(values).to_pylist():
        counter[pair["values"] or "unknown"] += pair["counts"]
