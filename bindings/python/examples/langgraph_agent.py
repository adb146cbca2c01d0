"""An agent that checks its documents with a tool before it answers, with LangGraph.

    pip install ./bindings/python langchain-core langgraph
"""

from __future__ import annotations

from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from proofmark_rs.agents.langchain import validation_tool


def agent(model: BaseChatModel) -> Any:
    """A graph in which the model calls the tool until it answers without a call."""
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([validation_tool()]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()


def stub(*drafts: str) -> BaseChatModel:
    """A model that checks each draft and answers with the last one."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    calls = [
        AIMessage(content="", tool_calls=[{"name": "validate_document", "args": {"text": text, "kind": "mermaid"}, "id": str(at)}])
        for at, text in enumerate(drafts)
    ]
    return GenericFakeChatModel(messages=iter([*calls, AIMessage(content=drafts[-1])]))


if __name__ == "__main__":
    drafts = "flowchart LR\n  A[Start --> B\n", "flowchart LR\n  A[Start] --> B\n"
    for message in agent(stub(*drafts)).invoke({"messages": [("user", "Draw two steps.")]})["messages"]:
        message.pretty_print()
