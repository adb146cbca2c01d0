"""What QType says about flows: JSON lines {id, text} in, {id, ok, error} out.

    python3 -m venv venv && venv/bin/pip install qtype==0.1.18
    venv/bin/python tests/reference/load_flows.py < target/examples-qtype.jsonl
"""

import json
import logging
import pathlib
import sys
import tempfile

from qtype.semantic.loader import load

logging.disable(logging.CRITICAL)

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "flow.qtype.yaml"
    for line in sys.stdin:
        row = json.loads(line)
        path.write_text(row["text"], encoding="utf-8")
        try:
            load(path)
            answer = {"ok": True, "error": None}
        except Exception as error:
            answer = {"ok": False, "error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps({"id": row["id"], **answer}), flush=True)
