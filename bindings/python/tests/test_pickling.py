"""Results in other processes: pickles and copies."""

from __future__ import annotations

import concurrent.futures
import copy
import json
import multiprocessing
import pickle
from typing import Any

import proofmark_rs as pm
import pytest

BROKEN = "---\ntitle: Part 1: the plan\n---\n"
DIAGRAM = "flowchart LR\n  A[Start --> B\n"
FORMATS = ("pretty", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown", "checkstyle", "rdjson", "azure")


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy])
def test_a_report_stays_the_same(again: Any) -> None:
    report = pm.validate(BROKEN, kind="markdown", name="letter.md")
    other = again(report)
    assert type(other) is pm.Report
    assert (other.valid, other.kind, other.name, other.error) == (False, "markdown", "letter.md", None)
    assert list(other) == list(report) and repr(other) == repr(report) and str(other) == str(report)
    for name in FORMATS:
        assert other.render(name) == report.render(name), name
    assert other.to_dict() == report.to_dict() and other._repr_html_() == report._repr_html_()


def test_every_kind_of_finding_stays_the_same() -> None:
    """With related locations, fixes in other files, and documents with parts in other languages."""
    texts = [(example["text"], rule["kinds"][0]) for rule in map(pm.explain, (one["id"] for one in pm.rules())) for example in rule["examples"][:1]]
    reports = [pm.validate(text, kind=kind) for text, kind in texts if text and kind != "engine"]
    assert sum(map(len, reports)) > 200
    for report in reports:
        other = pickled(report)
        assert [found.to_dict() for found in other] == [found.to_dict() for found in report]
        assert other.render("pretty") == report.render("pretty")
        assert other.render("rdjson") == report.render("rdjson")


def test_the_rules_of_a_report_are_those_of_its_validator() -> None:
    report = pm.Validator(ignore=["FM"]).validate(BROKEN, kind="markdown")
    assert pickled(report).sarif() == report.sarif()


def test_a_pickle_has_no_environment_variables() -> None:
    report = pm.Validator(env={"TOKEN": "a-secret"}).validate(BROKEN, kind="markdown")
    assert b"a-secret" not in pickle.dumps(report)


@pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy])
def test_parts_of_results_stay_the_same(again: Any) -> None:
    report, fixed = pm.validate(BROKEN, kind="markdown"), pm.fix(BROKEN, kind="markdown")
    (found,) = report
    other = again(found)
    assert other == found and hash(other) == hash(found) and other.to_dict() == found.to_dict()
    assert repr(again(found.location)) == repr(found.location)
    assert repr(again(found.fixes[0])) == repr(found.fixes[0])
    assert repr(again(found.fixes[0].edits[0])) == repr(found.fixes[0].edits[0])
    (twice,) = (one for one in pm.validate("a: 1\na: 2\n", kind="yaml") if one.related)
    assert [repr(again(one)) for one in twice.related] == [repr(one) for one in twice.related]
    assert (again(fixed).text, again(fixed).changed) == (fixed.text, True)
    assert [one.to_dict() for one in again(fixed).applied] == [one.to_dict() for one in fixed.applied]
    assert again(fixed).remaining.to_dict() == fixed.remaining.to_dict()


def _validated(text: str) -> pm.Report:
    return pm.validate(text, kind="mermaid")


def _raised(text: str) -> None:
    _validated(text).raise_for_errors()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_return_reports_and_raise_errors(method: str) -> None:
    context = multiprocessing.get_context(method)
    expected = _validated(DIAGRAM)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        (report,) = pool.map(_validated, [DIAGRAM])
        assert report.to_dict() == expected.to_dict()
        with pytest.raises(pm.InvalidDocument) as raised:
            pool.submit(_raised, DIAGRAM).result()
    assert raised.value.report.to_dict() == expected.to_dict()
    assert raised.value.args == (str(expected),)


def test_a_table_of_results_stays_the_same() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"id": [1, 2], "text": [DIAGRAM, "flowchart LR\n  A --> B\n"]})
    results = pm.check_arrow(table, kind="mermaid", id="id", fix="safe")
    for again in (pickled, copy.copy, copy.deepcopy):
        other = again(results)
        assert type(other) is pm.Results
        assert pa.table(other).equals(pa.table(results), check_metadata=True)


def test_a_damaged_pickle_is_an_error() -> None:
    function, (name, state) = pm.validate(BROKEN, kind="markdown").__reduce__()
    with pytest.raises(ValueError, match="this version"):
        function(name, state[:-1])
    with pytest.raises(ValueError, match="this version"):
        function("Nothing", json.dumps({}).encode())
