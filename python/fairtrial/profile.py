"""The `cprofile` instrument: Python's profiler over extra iterations, after the measured ones."""

import cProfile
import json
import os
import pstats
from typing import Any, Callable, Dict, List

ORDERS = {
    "top_cumulative": "cumulative_time",
    "top_internal": "internal_time",
    "top_calls": "calls",
}


def profiled(work: Callable[[], Any], stem: str, top_n: int) -> List[Dict[str, str]]:
    """Runs the work under the profiler; writes `STEM.prof` and `STEM_cprofile_summary.json` and names them."""
    profile = cProfile.Profile()
    profile.enable()
    try:
        work()
    finally:
        profile.disable()
    profile.dump_stats(f"{stem}.prof")
    with open(f"{stem}_cprofile_summary.json", "w", encoding="utf-8") as file:
        json.dump(tables(profile, top_n), file, indent=2)
    index = os.path.basename(stem).rsplit("_iter", 1)[-1]
    number = int(index) if index.isdigit() else 0
    return [
        {"name": f"cprofile_iter_{number}", "type": "profile", "path": f"{stem}.prof"},
        {
            "name": f"cprofile_summary_iter_{number}",
            "type": "json",
            "path": f"{stem}_cprofile_summary.json",
        },
    ]


def tables(profile: cProfile.Profile, top_n: int) -> Dict[str, List[Dict[str, Any]]]:
    """The functions with the most time and calls."""
    rows = []
    for (file, line, function), found in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        primitive, calls, internal, cumulative, _ = found
        rows.append(
            {
                "function": function,
                "file": file,
                "line": line,
                "calls": calls,
                "primitive_calls": primitive,
                "internal_time": internal,
                "cumulative_time": cumulative,
            }
        )
    return {
        table: sorted(rows, key=lambda row: row[key], reverse=True)[:top_n]
        for table, key in ORDERS.items()
    }
