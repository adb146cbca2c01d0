"""A tool and an evaluation for LangChain and LangGraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tools import StructuredTool

from .._default import default_validator
from .._native import UnknownKind
from .feedback import feedback

if TYPE_CHECKING:
    from langchain_core.outputs import LLMResult

    from .._native import Report, Validator

__all__ = ["Evaluation", "validation_tool"]


def validation_tool(*, validator: Validator | None = None) -> StructuredTool:
    """A tool with which a model checks a document before it answers."""

    def validate_document(text: str, kind: str) -> str:
        """Check a document and report what is wrong, where, and how to fix it. `kind` is markdown, mermaid, yaml, qtype,
        quarto or org. Call it again after changes until the document is valid."""
        try:
            return feedback((validator or default_validator()).validate(text, kind=kind))
        except UnknownKind as error:
            # The model has chosen the kind, so it is the one to choose another.
            return f"The document was not validated: {error}"

    return StructuredTool.from_function(validate_document)


class Evaluation(BaseCallbackHandler):  # type: ignore[misc]
    """Counts how many answers of a model are valid documents: pass it as a callback.

    `score` is the share of valid ones; `reports` has all of them.
    """

    def __init__(self, kind: str, *, validator: Validator | None = None) -> None:
        self.kind = kind
        self.validator: Validator = validator or default_validator()
        self.reports: list[Report] = []

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """An answer is there."""
        texts = [generation.text for generations in response.generations for generation in generations]
        self.reports += [self.validator.validate(text, kind=self.kind) for text in texts]

    @property
    def score(self) -> float:
        """The share of answers that are valid; 0 without answers."""
        return sum(map(bool, self.reports)) / len(self.reports) if self.reports else 0.0

    @property
    def by_rule(self) -> dict[str, int]:
        """How often each rule was violated, the most frequent first."""
        counts: dict[str, int] = {}
        for found in (one for report in self.reports for one in report):
            counts[found.id] = counts.get(found.id, 0) + 1
        return dict(sorted(counts.items(), key=lambda pair: -pair[1]))
