"""The compiled part of the package."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, final

from typing_extensions import CapsuleType

from .types import Applicability, ArrowData, Format, Severity

__all__ = [
    "Results",
    "main",
    "Diagnostic",
    "Edit",
    "Fix",
    "Location",
    "Related",
    "ConfigurationError",
    "InternalError",
    "InvalidDocument",
    "ProofmarkError",
    "UnknownKind",
    "Applied",
    "Fixed",
    "Report",
    "Validator",
    "__version__",
    "RESULT_VERSION",
    "_restore",
    "_results",
]

__version__: str
RESULT_VERSION: int

class ProofmarkError(Exception):
    """The base of all errors of this package."""

class ConfigurationError(ProofmarkError):
    """The configuration, a pack, or an argument of a validator is wrong."""

class UnknownKind(ProofmarkError):
    """The kind of a document is not known: no kind has this name, or nothing shows which kind it is."""

class InvalidDocument(ProofmarkError):
    """A document has errors. `report` has them."""

    report: Report

class InternalError(ProofmarkError):
    """Proofmark itself failed on a document. Please report it with the document."""

@final
class Validator:
    """Validates documents with one configuration: resolved once, used from any number of threads.

    Without arguments it has the built-in rules and reads no configuration file. `config` is a `proofmark.toml`.
    `select`, `extend` and `ignore` name rules by ids, starts of ids (`FM`), names, tags or packs. `packs` are folders
    of packs besides the configured ones. `env` are the environment variables that documents may refer to; any other
    reference is then an error. Documents may read files below `roots`. `deadline` is the time in seconds that one
    document may take: 10 by default, and no limit with `None`.

    A validator can be pickled: the other process resolves the same arguments again.
    """

    def __new__(
        cls,
        config: str | os.PathLike[str] | None = None,
        *,
        select: Sequence[str] = (),
        extend: Sequence[str] = (),
        ignore: Sequence[str] = (),
        packs: Sequence[str | os.PathLike[str]] = (),
        env: Mapping[str, str] | None = None,
        dialect: str | None = None,
        roots: Sequence[str | os.PathLike[str]] = (),
        deadline: float | None = 10.0,
    ) -> Validator: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...
    @property
    def ruleset(self) -> str:
        """Fingerprint of the rules, as in every report and result: sixteen hexadecimal digits."""
    @property
    def results_key(self) -> str:
        """What results depend on besides documents, files beside them, and the deadline: sixteen hexadecimal digits that
        stay the same as long as the rules, the configuration, and the arguments do.
        """
    def validate(
        self, text: str, *, kind: str | None = None, name: str | os.PathLike[str] | None = None
    ) -> Report:
        """Validate a document.

        `kind` is the name of its kind (`markdown`, `mermaid`, `yaml`, ...). Without it, `name` shows the kind: the path
        that the document has or is to have; the configuration may have settings for it. Without both, the text itself
        may show it, as the first words of a diagram do.

        Raises `UnknownKind` if nothing shows the kind.
        """
    def validate_many(
        self, texts: Sequence[str | None], *, kind: str | None = None, threads: int | None = None
    ) -> list[Report]:
        """Validate many documents at once, on `threads` threads (one per CPU by default).

        The reports are in the order of the documents. One that cannot be validated has its reason in `error`; the others
        are not affected. That includes `None`, and a string with a surrogate, which is not Unicode text. Ctrl-C ends the
        call after the documents that are being validated.
        """
    def fix(
        self,
        text: str,
        *,
        kind: str | None = None,
        name: str | os.PathLike[str] | None = None,
        unsafe: bool = False,
    ) -> Fixed:
        """Fix a document: apply the safe fixes, with `unsafe` also those that are likely right but may change what it
        means.

        No fix introduces an error or discards what the author wrote. Raises like `validate`.
        """
    def check_arrow(
        self,
        data: ArrowData,
        *,
        text: str = "text",
        kind: str | None = None,
        kind_column: str | None = None,
        name_column: str | None = None,
        id: str | None = None,
        keep: Sequence[str] = (),
        fix: Literal["safe", "unsafe"] | None = None,
        threads: int | None = None,
        timed: bool = False,
    ) -> Results:
        """Validate a column of strings, without copying it.

        `data` is anything with the PyCapsule interface of Arrow: tables, record batches and arrays of pyarrow, polars,
        pandas or DuckDB. Of a table, `text` names the column with the documents; `kind` is the kind of all of them, or
        `kind_column` names a column of kinds and `name_column` one of file names. `id` names the column that identifies
        the documents: it is the first column of the result. The columns in `keep` become part of the result, too. With
        `fix` (`"safe"` or `"unsafe"`) the result has the fixed text. With `timed` it has the microseconds that each row
        took.

        The result has the same interface and one row for each: `pyarrow.table(result)`, `polars.DataFrame(result)`. Its
        columns are those of `schemas/results.schema.json`. A row that cannot be validated has its reason in `error`.
        Ctrl-C ends the call after the documents that are being validated.
        """
    def explain(self, rule: str) -> dict[str, Any]:
        """Everything about a rule: what it checks, why, how to fix what it finds, with examples."""
    def rules(self, *, kind: str | None = None, tag: str | None = None) -> list[dict[str, Any]]:
        """The rules: those for documents of a kind and with a tag, where these are named."""
    def kinds(self) -> list[dict[str, Any]]:
        """The kinds of document."""

@final
class Report:
    """What was found in a document. It is true if the document is valid, and iterates over its diagnostics."""

    @property
    def valid(self) -> bool:
        """Whether the document was validated and has no errors."""
    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The diagnostics that count, ordered by position."""
    @property
    def suppressed(self) -> list[Diagnostic]:
        """The diagnostics that a comment or a baseline suppresses."""
    @property
    def errors(self) -> int:
        """Number of errors."""
    @property
    def warnings(self) -> int:
        """Number of warnings."""
    @property
    def notes(self) -> int:
        """Number of notes."""
    @property
    def name(self) -> str:
        """The name of the document in the report."""
    @property
    def kind(self) -> str | None:
        """The kind that the document was read as."""
    @property
    def error(self) -> str | None:
        """Why the document was not validated, or not to its end: a code, a colon and details."""
    def render(self, format: Format = "pretty", *, color: bool = False) -> str:
        """The report in a format of the command line."""
    def to_json(self) -> str:
        """The report as `proofmark check --format json` writes it."""
    def to_dict(self) -> dict[str, Any]:
        """The report as a dictionary of the shape of `proofmark check --format json`."""
    def sarif(self) -> str:
        """The report in SARIF 2.1.0, for code scanning."""
    def raise_for_errors(self) -> None:
        """Raise `InvalidDocument` if the document is not valid."""
    def _repr_html_(self) -> str: ...
    def __bool__(self) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Diagnostic]: ...

@final
class Diagnostic:
    """A finding: what is wrong, where, why and how to fix it."""

    @property
    def id(self) -> str:
        """Stable id of the rule, such as `FM101`."""
    @property
    def name(self) -> str:
        """Name of the rule, such as `unclosed-frontmatter`."""
    @property
    def severity(self) -> Severity:
        """`error`, `warning` or `note`."""
    @property
    def message(self) -> str:
        """What is wrong, with the actual value."""
    @property
    def hint(self) -> str | None:
        """What to do about it."""
    @property
    def location(self) -> Location:
        """The smallest part that is wrong."""
    @property
    def line(self) -> int:
        """Line of the first character, from 1."""
    @property
    def column(self) -> int:
        """Column of the first character, from 1, in code points."""
    @property
    def span(self) -> tuple[int, int]:
        """The bytes of the UTF-8 text that are wrong: the first one and the one after the last."""
    @property
    def found_text(self) -> str | None:
        """The text at the location."""
    @property
    def expected(self) -> list[str]:
        """What is expected there, the most likely first."""
    @property
    def related(self) -> list[Related]:
        """Further locations that explain it."""
    @property
    def fixes(self) -> list[Fix]:
        """Ways to fix it, the best first."""
    @property
    def context(self) -> str | None:
        """The source line with its number."""
    @property
    def fingerprint(self) -> str:
        """Key that stays the same when other lines of the document change."""
    @property
    def caused_by(self) -> str | None:
        """Fingerprint of the finding that causes this one."""
    @property
    def suppressed(self) -> str | None:
        """Why it does not count, if a comment or a baseline suppresses it."""
    def to_dict(self) -> dict[str, Any]:
        """As in the `diagnostics` of `proofmark check --format json`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Location:
    """A part of a file. Lines and columns count from 1, columns in code points; bytes count from 0."""

    @property
    def file(self) -> str:
        """Name of the file, or `<stdin>`."""
    @property
    def line(self) -> int:
        """First line."""
    @property
    def column(self) -> int:
        """First column."""
    @property
    def end_line(self) -> int:
        """Line of the end."""
    @property
    def end_column(self) -> int:
        """Column after the last character."""
    @property
    def byte_start(self) -> int:
        """Offset of the first byte."""
    @property
    def byte_end(self) -> int:
        """Offset after the last byte."""
    @property
    def path(self) -> str | None:
        """JSON Pointer to the node in the tree of the document, if the location is a node."""

@final
class Related:
    """Another location that explains a finding."""

    @property
    def label(self) -> str:
        """How the location is related."""
    @property
    def location(self) -> Location:
        """The location."""

@final
class Fix:
    """A way to fix a finding: edits that are applied together."""

    @property
    def id(self) -> str:
        """Its id among all fixes of the document."""
    @property
    def title(self) -> str:
        """What it does, in the imperative."""
    @property
    def applicability(self) -> Applicability:
        """Whether it can be applied without review."""
    @property
    def edits(self) -> list[Edit]:
        """The edits, ordered by position, without overlap."""

@final
class Edit:
    """A replacement of bytes of the UTF-8 text."""

    @property
    def byte_start(self) -> int:
        """Offset of the first replaced byte."""
    @property
    def byte_end(self) -> int:
        """Offset after the last replaced byte."""
    @property
    def old(self) -> str:
        """The replaced text."""
    @property
    def new(self) -> str:
        """The replacement."""
    @property
    def file(self) -> str | None:
        """File, if it is not that of the finding."""

@final
class Fixed:
    """A document with fixes applied."""

    @property
    def text(self) -> str:
        """The text with the fixes."""
    @property
    def changed(self) -> bool:
        """Whether anything was changed."""
    @property
    def applied(self) -> list[Applied]:
        """The fixes that were applied."""
    @property
    def refused(self) -> list[Applied]:
        """The fixes that were not applied because they would do harm."""
    @property
    def remaining(self) -> Report:
        """What is found in the fixed text."""

@final
class Applied:
    """A fix that was applied, or refused."""

    @property
    def id(self) -> str:
        """Id of the rule."""
    @property
    def name(self) -> str:
        """Name of the rule."""
    @property
    def title(self) -> str:
        """What the fix does."""
    @property
    def applicability(self) -> Applicability:
        """Whether it can be applied without review."""
    @property
    def line(self) -> int:
        """Line of the finding in the text as it was in that round."""
    @property
    def refused_because(self) -> str | None:
        """Why the fix was refused, if it was."""
    def to_dict(self) -> dict[str, Any]:
        """As in the `applied` of `proofmark batch`."""

@final
class Results:
    """Results of `check_arrow`: a table with one row for each document, with Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __len__(self) -> int: ...
    def __copy__(self) -> Results: ...
    def __deepcopy__(self, memo: object) -> Results: ...

def _restore(name: str, state: bytes) -> object:
    """The result with this name and state, which `pickle` has kept."""

def _results(data: ArrowData) -> Results:
    """The results in Arrow data that `pickle` has kept."""

def main(arguments: Sequence[str]) -> int:
    """Run the command line with these arguments; returns the number to exit with."""
