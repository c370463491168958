"""Fairtrial's Python SDK: registered experiments, instruments, reporters, and metrics of training scripts."""

from .experiments import Experiment, ExperimentContext
from .metrics import log
from .registry import register_experiment, register_instrument
from .results import RunResult

__all__ = [
    "Experiment",
    "ExperimentContext",
    "RunResult",
    "log",
    "register_experiment",
    "register_instrument",
]
__version__ = "0.1.0"
