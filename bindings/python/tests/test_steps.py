"""Steps of programs that prepare corpora."""

from __future__ import annotations

import pytest

VALID = "flowchart LR\n  A --> B\n"
BROKEN = "flowchart LR\n  A[Start --> B\n"


def test_datatrove() -> None:
    pytest.importorskip("datatrove")
    # Its filters import this, but it does not install it.
    pytest.importorskip("regex")
    from datatrove.data import Document
    from proofmark_rs.steps.datatrove import ProofmarkFilter

    def pipeline() -> list[Document]:
        return [Document(text=text, id=str(number)) for number, text in enumerate([VALID, BROKEN, VALID])]

    kept = list(ProofmarkFilter("mermaid").run(pipeline()))
    assert [document.id for document in kept] == ["0", "2"]
    noted = list(ProofmarkFilter("mermaid", drop=False).run(pipeline()))
    assert [document.metadata["proofmark"]["valid"] for document in noted] == [True, False, True]
    assert noted[1].metadata["proofmark"]["diagnostics"]


def test_nemo_curator() -> None:
    pytest.importorskip("nemo_curator.stages.base")
    import pyarrow as pa
    from nemo_curator.tasks import DocumentBatch
    from proofmark_rs.steps.nemo_curator import ProofmarkStage

    batch = DocumentBatch(dataset_name="d", data=pa.table({"n": [1, 2], "text": [VALID, BROKEN]}))
    stage = ProofmarkStage("mermaid")
    assert stage.validate_input(batch)
    checked = stage.process(batch).to_pyarrow()
    assert checked["proofmark_valid"].to_pylist() == [True, False]
    assert set(stage.outputs()[1]) <= set(checked.column_names)
    assert ProofmarkStage("mermaid", drop=True).process(batch).to_pyarrow()["n"].to_pylist() == [1]


def test_data_juicer() -> None:
    pytest.importorskip("data_juicer.ops.base_op")
    from data_juicer.utils.constant import Fields
    from proofmark_rs.steps.data_juicer import ProofmarkFilter

    step = ProofmarkFilter("mermaid")
    samples = {"text": [VALID, BROKEN], Fields.stats: [{}, {}]}
    assert step.process(step.compute_stats(samples)) == [True, False]
