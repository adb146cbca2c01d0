"""A type of pydantic: a string that is a valid document.

Examples:
    >>> from typing import Annotated
    >>> from pydantic import BaseModel
    >>> class Answer(BaseModel):
    ...     diagram: Annotated[str, Document("mermaid")]
    >>> Answer(diagram="flowchart LR\\n  A --> B\\n").diagram
    'flowchart LR\\n  A --> B\\n'
    >>> Answer(diagram="flowchart LR\\n  A[Start --> B\\n")
    Traceback (most recent call last):
    ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Answer
    ...

A framework that asks a model again when its answer does not fit passes the message on: it says what is wrong, where, and
how to fix it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError, core_schema

from .._default import default_validator
from .feedback import feedback

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

    from .._native import Validator

__all__ = ["Document"]


@dataclass(frozen=True)
class Document:
    """Marks a string as a document of a kind. With `fix`, safe fixes are applied before it is validated.

    Raises `UnknownKind` if there is no such kind.
    """

    kind: str
    fix: bool = False
    validator: Validator | None = None

    def __post_init__(self) -> None:
        (self.validator or default_validator()).validate_many([], kind=self.kind)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._validated, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        described = handler(schema)
        described.setdefault("description", f"A valid document of the kind {self.kind}.")
        return described

    def _validated(self, text: str) -> str:
        validator = self.validator or default_validator()
        if self.fix:
            text = validator.fix(text, kind=self.kind).text
        report = validator.validate(text, kind=self.kind)
        if not report:
            raise PydanticCustomError("proofmark", "{feedback}", {"feedback": feedback(report)})
        return text
