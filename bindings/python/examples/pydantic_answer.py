"""A model is asked again until its answer has a valid diagram, with pydantic.

    pip install ./bindings/python pydantic

`model` is any function from a prompt to the fields of the answer; libraries such as instructor do the loop for you.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from proofmark_rs.agents.pydantic import Document
from pydantic import BaseModel, ValidationError


class Answer(BaseModel):
    """What the model answers with."""

    title: str
    diagram: Annotated[str, Document("mermaid")]


def ask(model: Callable[[str], dict[str, Any]], question: str, attempts: int = 3) -> Answer:
    """The first valid answer. What is wrong with an answer becomes part of the next prompt."""
    prompt = question
    for _ in range(attempts - 1):
        try:
            return Answer.model_validate(model(prompt))
        except ValidationError as error:
            prompt = f"{question}\n\nYour last answer was not valid:\n{error}"
    return Answer.model_validate(model(prompt))


if __name__ == "__main__":
    answers = iter(["flowchart LR\n  A[Start --> B\n", "flowchart LR\n  A[Start] --> B\n"])
    print(ask(lambda prompt: {"title": "Two steps", "diagram": next(answers)}, "Draw two steps."))
