"""JSON as the driver reads it: numbers of any library, and values that JSON has no word for."""

import json
import math
from typing import Any


def plain(value: Any) -> str:
    """A value as one line of JSON."""
    try:
        return json.dumps(value, allow_nan=False, default=simpler)
    except ValueError:
        return json.dumps(finite(value), allow_nan=False, default=simpler)


def simpler(value: Any) -> Any:
    """A value of another library in a form that JSON knows: scalars and arrays of numpy or torch, sets, paths."""
    for method in ("tolist", "item"):
        convert = getattr(value, method, None)
        if callable(convert):
            return finite(convert())
    if isinstance(value, (set, frozenset)):
        return list(value)
    return str(value)


def finite(value: Any) -> Any:
    """The same value with NaN and infinities as words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(inner) for inner in value]
    return value
