"""Fairtrial's Python SDK: registered experiments, instruments, reporters, metrics of training scripts, and the command from
notebooks."""

import importlib
from typing import TYPE_CHECKING, Any, List

from .experiments import Experiment, ExperimentContext
from .metrics import log
from .registry import register_experiment, register_instrument
from .results import RunResult

if TYPE_CHECKING:
    from .command import FairtrialError
    from .runners import Runner, SweepRunner, compare_results
    from .runs import Interrupted, Run, run
    from .tables import load
    from .trials import trial
    from .verdicts import Verdict, compare

#: What is imported when it is asked for: a worker, whose start counts, has no use for it.
LATER = {
    "FairtrialError": "command",
    "Interrupted": "runs",
    "Run": "runs",
    "Runner": "runners",
    "SweepRunner": "runners",
    "Verdict": "verdicts",
    "compare": "verdicts",
    "compare_results": "runners",
    "load": "tables",
    "run": "runs",
    "trial": "trials",
}

__all__ = [
    "Experiment",
    "ExperimentContext",
    "FairtrialError",
    "Interrupted",
    "Run",
    "RunResult",
    "Runner",
    "SweepRunner",
    "Verdict",
    "compare",
    "compare_results",
    "load",
    "log",
    "register_experiment",
    "register_instrument",
    "run",
    "trial",
]
__version__ = "0.1.0"


def __dir__() -> List[str]:
    # What is imported later can be completed, too.
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{LATER[name]}", __name__), name)
