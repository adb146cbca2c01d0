"""How many answers of a model are valid documents, and which rules they violate, with a callback of LangChain.

    pip install ./bindings/python langchain-core
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.language_models.chat_models import BaseChatModel
from proofmark_rs.agents.langchain import Evaluation


def evaluate(model: BaseChatModel, prompts: Sequence[str], kind: str = "mermaid") -> Evaluation:
    """Ask a model every prompt; the evaluation has the score and counts by rule."""
    evaluation = Evaluation(kind)
    for prompt in prompts:
        model.invoke(prompt, config={"callbacks": [evaluation]})
    return evaluation


if __name__ == "__main__":
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    stub = FakeListChatModel(responses=["flowchart LR\n  A --> B\n", "flowchart LR\n  A[Start --> B\n"])
    found = evaluate(stub, ["Draw two steps.", "Draw them again."])
    print(f"{found.score:.0%} valid; violated: {found.by_rule}")
