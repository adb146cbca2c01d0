"""Adapters for agent frameworks: a type for pydantic, a tool and an evaluation for LangChain and LangGraph.

Each module needs its framework: `pydantic`, `langchain_core`.
"""
