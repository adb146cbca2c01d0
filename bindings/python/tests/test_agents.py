"""Adapters for agent frameworks, with models that answer from a list."""

from __future__ import annotations

from typing import Annotated, Any

import proofmark_rs as pm
import pytest
from proofmark_rs.agents.feedback import feedback

VALID = "flowchart LR\n  A --> B\n"
BROKEN = "flowchart LR\n  A[Start --> B\n"


def test_feedback_says_what_where_and_how() -> None:
    report = pm.validate(BROKEN, kind="mermaid")
    text = feedback(report)
    found = report.diagnostics[0]
    assert text.startswith("The document is not valid:\n")
    assert found.id in text and f"line {found.line}" in text and found.message in text
    assert feedback(pm.validate(VALID, kind="mermaid")) == "The document is valid."


def test_pydantic_asks_a_model_again() -> None:
    pydantic = pytest.importorskip("pydantic")
    from proofmark_rs.agents.pydantic import Document

    class Answer(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        diagram: Annotated[str, Document("mermaid")]

    answers = iter([BROKEN, VALID])
    asked: list[str] = []

    def model(prompt: str) -> dict[str, str]:
        asked.append(prompt)
        return {"diagram": next(answers)}

    prompt = "draw two nodes"
    while True:
        try:
            answer = Answer.model_validate(model(prompt))
            break
        except pydantic.ValidationError as error:
            prompt = f"draw two nodes\n{error}"
    assert answer.diagram == VALID
    assert pm.validate(BROKEN, kind="mermaid").diagnostics[0].id in asked[1]


def test_pydantic_applies_safe_fixes() -> None:
    pydantic = pytest.importorskip("pydantic")
    from proofmark_rs.agents.pydantic import Document

    adapter = pydantic.TypeAdapter(Annotated[str, Document("markdown", fix=True)])
    letter = "---\ntitle: Part 1: the plan\n---\n"
    assert adapter.validate_python(letter) == pm.fix(letter, kind="markdown").text


def test_langchain_tool() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from proofmark_rs.agents.langchain import validation_tool

    tool = validation_tool()
    calls = [
        {"name": tool.name, "args": {"text": text, "kind": "mermaid"}, "id": str(number)}
        for number, text in enumerate([BROKEN, VALID])
    ]
    model = GenericFakeChatModel(messages=iter(AIMessage(content="", tool_calls=[call]) for call in calls))
    answers: list[Any] = []
    for _ in calls:
        message = model.invoke("draw two nodes")
        answers += [tool.invoke(call).content for call in message.tool_calls]
    assert answers[0].startswith("The document is not valid:")
    assert answers[1] == "The document is valid."


def test_langchain_evaluation() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from proofmark_rs.agents.langchain import Evaluation

    evaluation = Evaluation("mermaid")
    assert evaluation.score == 0.0
    model = FakeListChatModel(responses=[VALID, BROKEN, VALID, VALID])
    for _ in range(4):
        model.invoke("draw two nodes", config={"callbacks": [evaluation]})
    assert evaluation.score == 0.75
    assert evaluation.by_rule == {one.id: 1 for one in pm.validate(BROKEN, kind="mermaid")}
