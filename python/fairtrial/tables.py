"""Trials as tables: of pandas or polars where they are installed, else as plain rows."""

import importlib
import importlib.util
import json
import os
import sys
from typing import Any, Dict, List

from .command import ask_for_text, flags

FRAMES = ("pandas", "polars")


def load(run: Any, frame: str = "auto", **options: Any) -> Any:
    """The trials of a run, or of another tool's results, one row each.

    `frame` is `pandas`, `polars` or `rows` (a list of dictionaries); by default the library that is already imported, or
    the first that is installed, or rows. Options are those of `fairtrial export`: `rows="series"` for curves.
    """
    if frame not in ("auto", "rows", *FRAMES):
        raise ValueError(f"a frame is auto, rows, pandas or polars, not {frame!r}")
    rows = exported(os.fspath(getattr(run, "dir", run)), options)
    if frame == "auto":
        frame = next((name for name in FRAMES if name in sys.modules), "") or next(
            (name for name in FRAMES if importlib.util.find_spec(name)), "rows"
        )
    if frame == "rows":
        return rows
    library = importlib.import_module(frame)
    if frame == "polars":
        # A metric may be whole in the first trials and not in later ones.
        return library.DataFrame(rows, infer_schema_length=None)
    return library.DataFrame(rows)


def exported(run: str, options: Dict[str, Any]) -> List[Dict[str, Any]]:
    text = ask_for_text(["export", "--to=jsonl", *flags(options), "--", run])
    # Not `splitlines`: it splits at signs that JSON leaves in its strings.
    return [json.loads(line) for line in text.split("\n") if line]
