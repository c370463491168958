"""Metrics of any script that runs as a trial: one call, no experiment needed."""

import math
import os
from typing import Any, Dict, Optional

from .wire import metric, plain

#: Names under which the step stands in a line.
STEP_KEYS = ("step", "_step")


def log(metrics: Optional[Dict[str, Any]] = None, step: Optional[float] = None, **values: Any) -> None:
    """Reports metrics of the trial: `log(loss=0.3, step=10)`, or `log({"eval/reward": 1.5}, step=10)`.

    With a step, the value is a point of a series; without one it is final. Outside of a trial this does nothing, so
    that a script runs the same by hand. A step that is no number raises, and so does one that is given twice.
    """
    line: Dict[str, Any] = {**(metrics or {}), **values}
    for key in STEP_KEYS:
        if key in line:
            if step is not None:
                raise TypeError(f"the step is given twice: as `step` and as the metric {key!r}")
            step = line.pop(key)
    if step is not None:
        line = {"step": place(step), **line}
    path = os.environ.get("FAIRTRIAL_METRICS")
    if not path:
        return
    data = (plain(line, metric) + "\n").encode()
    # One write to a file opened for appending: lines of several processes do not mix.
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        # The system may take only a part, where the disk is nearly full or a signal comes.
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
    finally:
        os.close(fd)


def place(step: Any) -> float:
    """The step as a plain number."""
    if isinstance(step, bool) or not hasattr(type(step), "__float__"):
        raise TypeError(f"a step is a number, not {step!r} ({type(step).__name__})")
    number = float(step)
    if not math.isfinite(number):
        raise ValueError(f"a step is a finite number, not {number}")
    return step if type(step) is int else number
