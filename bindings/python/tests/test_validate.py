"""Validating and fixing strings."""

from __future__ import annotations

import inspect
import json
import pickle
import threading

import proofmark_rs as pm
import pytest

BROKEN = "---\ntitle: Part 1: the plan\n---\n"
FIXED = '---\ntitle: "Part 1: the plan"\n---\n'
DIAGRAM = "flowchart LR\n  A[Start --> B\n"


def test_a_report_is_true_if_the_document_is_valid() -> None:
    assert pm.validate("flowchart LR\n  A --> B\n", kind="mermaid")
    assert not pm.validate(DIAGRAM, kind="mermaid")


def test_a_report_iterates_over_its_diagnostics() -> None:
    report = pm.validate(BROKEN, kind="markdown")
    assert len(report) == report.errors == 1
    (found,) = report
    assert (found.id, found.severity, found.line, found.column) == ("YM101", "error", 2, 14)
    assert found.span == (found.location.byte_start, found.location.byte_end)
    assert found.fixes[0].applicability == "safe"
    assert found.fixes[0].edits[0].new.startswith('"')
    assert found == report.diagnostics[0]
    assert found.fingerprint == found.to_dict()["fingerprint"]


def test_the_name_of_a_file_shows_the_kind() -> None:
    report = pm.validate(BROKEN, name="letter.md")
    assert report.kind == "markdown"
    assert report.diagnostics[0].location.file == "letter.md"


def test_an_unknown_kind_is_reported_with_the_similar_one() -> None:
    with pytest.raises(pm.UnknownKind, match="did you mean `mermaid`"):
        pm.validate("graph", kind="mermiad")
    with pytest.raises(pm.UnknownKind, match="`kind`"):
        pm.validate("just words")


def test_safe_fixes_are_applied() -> None:
    fixed = pm.fix(BROKEN, kind="markdown")
    assert fixed.text == FIXED
    assert fixed.changed
    assert fixed.remaining.valid
    assert [applied.id for applied in fixed.applied] == ["YM101"]
    assert not pm.fix(FIXED, kind="markdown").changed


def test_errors_can_be_raised() -> None:
    pm.validate(FIXED, kind="markdown").raise_for_errors()
    with pytest.raises(pm.InvalidDocument, match="YM101") as raised:
        pm.validate(BROKEN, kind="markdown").raise_for_errors()
    assert raised.value.report.errors == 1


def test_reports_have_the_formats_of_the_command_line() -> None:
    report = pm.validate(BROKEN, kind="markdown")
    assert json.loads(report.sarif())["runs"][0]["results"][0]["ruleId"] == "YM101"
    assert report.to_dict() == json.loads(report.to_json()) == json.loads(report.render("json"))
    assert "YM101" in report.render() and "YM101" in str(report)
    with pytest.raises(ValueError, match="jsn"):
        report.render("jsn")  # type: ignore[arg-type]


def test_html_is_escaped() -> None:
    report = pm.validate("---\ntitle: <b>: <script>alert(1)</script>: x\n---\n", kind="markdown")
    assert report.errors
    html = report._repr_html_()
    assert "<table>" in html
    assert "<script>" not in html


def test_rules_are_selected() -> None:
    assert pm.Validator(ignore=["YM101"]).validate(BROKEN, kind="markdown")
    assert not pm.Validator(select=["YM101"]).validate(BROKEN, kind="markdown")
    with pytest.raises(pm.ConfigurationError, match="YM10x"):
        pm.Validator(select=["YM10x"])


def test_a_configuration_file_and_packs(tmp_path: object, repository: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    config = folder / "proofmark.toml"
    config.write_text("[rules]\nignore = ['YM101']\n")
    assert pm.Validator(config).validate(BROKEN, kind="markdown")
    config.write_text("[rules]\nignor = []\n")
    with pytest.raises(pm.ConfigurationError, match="ignor"):
        pm.Validator(config)
    with pytest.raises(pm.ConfigurationError):
        pm.Validator(packs=[folder / "missing"])


QTYPE = "id: app\nmodels:\n  - type: Model\n    id: m\n    provider: openai\n    model_id: ${MODEL}\n"


def test_the_environment_is_the_one_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL", "of the process")

    def found(validator: pm.Validator) -> str:
        return " ".join(found.message for found in validator.validate(QTYPE, kind="qtype"))

    assert "MODEL" not in found(pm.Validator())
    assert "MODEL" in found(pm.Validator(env={}))
    assert "MODEL" not in found(pm.Validator(env={"MODEL": "x"}))


def test_a_validator_is_pickled_by_its_arguments() -> None:
    validator = pm.Validator(ignore=["YM101"], deadline=2.5)
    copy = pickle.loads(pickle.dumps(validator))
    assert copy.results_key == validator.results_key != pm.Validator().results_key
    assert copy.validate(BROKEN, kind="markdown")


def test_many_documents_keep_their_order() -> None:
    texts = [BROKEN if number % 3 else FIXED for number in range(500)]
    reports = pm.validate_many(texts, kind="markdown", threads=4)
    assert [report.valid for report in reports] == [number % 3 == 0 for number in range(500)]


def test_a_text_above_the_limit_is_an_error_of_its_row(tmp_path: object) -> None:
    from pathlib import Path

    config = Path(str(tmp_path)) / "proofmark.toml"
    config.write_text("[limits]\ntext_bytes = 100\n")
    small, large = pm.Validator(config).validate_many([FIXED, "a" * 200], kind="markdown")
    assert small.valid and small.error is None
    assert not large.valid
    assert large.error is not None and large.error.startswith("text-too-large: ")


def test_a_deadline_is_an_error_of_its_row() -> None:
    slow = "\n".join(f"- [a{number}][b{number}] *x _y `z" for number in range(40_000))
    report = pm.Validator(deadline=0.001).validate(slow, kind="markdown")
    assert report.error is not None and report.error.startswith("budget-exceeded: ")


@pytest.mark.parametrize("deadline", [-1, float("nan"), float("inf")])
def test_a_deadline_is_a_number_of_seconds(deadline: float) -> None:
    with pytest.raises(pm.ConfigurationError, match="`deadline`"):
        pm.Validator(deadline=deadline)


@pytest.mark.parametrize("threads", [-1, 0])
def test_threads_are_at_least_one(threads: int) -> None:
    with pytest.raises(pm.ConfigurationError, match=f"`threads` is {threads}: give 1 or more"):
        pm.validate_many([FIXED], kind="markdown", threads=threads)


def test_a_row_without_text_is_an_error_of_its_row() -> None:
    reports = pm.validate_many([FIXED, None, "a\ud800b", FIXED], kind="markdown")
    assert [report.valid for report in reports] == [True, False, False, True]
    assert [report.error and report.error.split(":")[0] for report in reports] == [None, "null", "not-utf8", None]
    with pytest.raises(TypeError, match=r"`texts\[1\]` has the type `int`"):
        pm.validate_many([FIXED, 7], kind="markdown")  # type: ignore[list-item]


def test_signatures_have_the_defaults() -> None:
    validator = inspect.signature(pm.Validator).parameters
    assert (validator["deadline"].default, validator["select"].default, validator["env"].default) == (10.0, (), None)
    column = inspect.signature(pm.Validator.check_arrow).parameters
    assert (column["text"].default, column["keep"].default) == ("text", ())
    assert not any(one.default is ... for one in [*validator.values(), *column.values()])


def test_a_ruleset_is_the_same_everywhere() -> None:
    pa = pytest.importorskip("pyarrow")
    for validator in (pm.Validator(), pm.Validator(ignore=["YM101"])):
        (row,) = pa.table(validator.check_arrow(pa.array([FIXED]), kind="markdown")).to_pylist()
        report = validator.validate(FIXED, kind="markdown")
        sarif = json.loads(report.sarif())["runs"][0]["properties"]["ruleset"]
        assert {row["ruleset"], report.to_dict()["ruleset"], sarif} == {validator.ruleset}


def test_a_validator_is_shared_by_threads() -> None:
    validator = pm.Validator()
    expected = [found.fingerprint for found in validator.validate(DIAGRAM, kind="mermaid")]
    seen: list[bool] = []

    def work() -> None:
        for _ in range(200):
            seen.append([found.fingerprint for found in validator.validate(DIAGRAM, kind="mermaid")] == expected)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 1600 and all(seen)


def test_rules_and_kinds_are_described() -> None:
    assert pm.explain("yaml-unquoted-colon")["id"] == "YM101"
    with pytest.raises(LookupError, match="YM10"):
        pm.explain("YM10x")
    assert {"YM101"} <= {rule["id"] for rule in pm.rules(kind="markdown")}
    assert all("mermaid" in rule["kinds"] for rule in pm.rules(kind="mermaid"))
    assert {"markdown", "mermaid", "qtype"} <= {kind["name"] for kind in pm.kinds()}
