"""Adapters for agent frameworks, with models that answer from a list."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
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


def test_pydantic_refuses_an_unknown_kind_and_describes_the_field() -> None:
    pydantic = pytest.importorskip("pydantic")
    from proofmark_rs.agents.pydantic import Document

    with pytest.raises(pm.UnknownKind, match="did you mean `mermaid`"):
        Document("mermiad")
    schema = pydantic.TypeAdapter(Annotated[str, Document("mermaid")]).json_schema()
    assert schema == {"type": "string", "description": "A valid document of the kind mermaid."}


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
    assert "did you mean `mermaid`" in tool.invoke({"text": VALID, "kind": "mermiad"})


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


def example(repository: Path, name: str) -> Any:
    """A module of `examples/`."""
    specification = importlib.util.spec_from_file_location(name, repository / "bindings" / "python" / "examples" / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def test_example_of_pydantic(repository: Path) -> None:
    pytest.importorskip("pydantic")
    prompts: list[str] = []
    answers = iter([BROKEN, VALID])

    def model(prompt: str) -> dict[str, str]:
        prompts.append(prompt)
        return {"title": "Two steps", "diagram": next(answers)}

    assert example(repository, "pydantic_answer").ask(model, "Draw two steps.").diagram == VALID
    assert pm.validate(BROKEN, kind="mermaid").diagnostics[0].message in prompts[1]


def test_example_of_an_agent(repository: Path) -> None:
    pytest.importorskip("langgraph")
    module = example(repository, "langgraph_agent")
    messages = module.agent(module.stub(BROKEN, VALID)).invoke({"messages": [("user", "Draw two steps.")]})["messages"]
    answers = [message.content for message in messages if message.type == "tool"]
    assert answers[0].startswith("The document is not valid:") and answers[1] == "The document is valid."
    assert messages[-1].content == VALID


def test_example_of_an_evaluation(repository: Path) -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    model = FakeListChatModel(responses=[VALID, BROKEN])
    evaluation = example(repository, "langchain_evaluation").evaluate(model, ["Draw two steps."] * 2)
    assert evaluation.score == 0.5 and evaluation.by_rule
