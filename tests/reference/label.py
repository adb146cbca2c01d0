"""Joins examples and answers into the rows that tests/rules/verdicts.rs compares.

    python3 tests/reference/label.py target/examples-mermaid.jsonl answers.jsonl > tests/data/verdicts/mermaid.jsonl
"""

import json
import sys

examples, answers = ([json.loads(line) for line in open(name, encoding="utf-8")] for name in sys.argv[1:])
verdict = {row["id"]: row["ok"] for row in answers}
for row in examples:
    print(json.dumps({"id": row["id"], "ok": verdict[row["id"]], "text": row["fingerprint"]}))
