"""JSON as the driver reads it: numbers of any library, and values that JSON has no word for."""

import json
import math
from typing import Any


def plain(value: Any) -> str:
    """A value as one line of JSON; what JSON cannot take (other keys than words and numbers, circles) raises."""
    try:
        return dumps(value)
    except ValueError as error:
        try:
            return dumps(finite(value))
        except RecursionError:
            # A circle: what `json` says about it is clearer.
            raise error from None


def dumps(value: Any) -> str:
    # Not in ASCII: half a surrogate pair then does not pass for a character when the line is encoded.
    return json.dumps(value, allow_nan=False, default=simpler, ensure_ascii=False)


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
