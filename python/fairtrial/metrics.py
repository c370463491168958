"""Metrics of any script that runs as a trial: one call, no experiment needed."""

import os
from typing import Any, Dict, Optional

from .wire import plain


def log(metrics: Optional[Dict[str, Any]] = None, step: Optional[float] = None, **values: Any) -> None:
    """Reports metrics of the trial: `log(loss=0.3, step=10)`, or `log({"eval/reward": 1.5}, step=10)`.

    With a step, the value is a point of a series; without one it is final. Outside of a trial this does nothing, so
    that a script runs the same by hand.
    """
    path = os.environ.get("FAIRTRIAL_METRICS")
    if not path:
        return
    line: Dict[str, Any] = {} if step is None else {"step": step}
    line.update(metrics or {})
    line.update(values)
    data = (plain(line) + "\n").encode()
    # One write to a file opened for appending: lines of several processes do not mix.
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        # The system may take only a part, where the disk is nearly full or a signal comes.
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
    finally:
        os.close(fd)
