"""JSON as the driver reads it: numbers of any library, and values that JSON has no word for."""

import json
import math
from typing import Any, Callable


def simpler(value: Any) -> Any:
    """A value of another library in a form that JSON knows: numbers and arrays of any library, sets, and words."""
    for method in ("tolist", "item"):
        convert = getattr(value, method, None)
        if callable(convert):
            return finite(convert())
    # `Decimal`, `Fraction`, and whatever else calls itself a number.
    if hasattr(type(value), "__float__"):
        return finite(float(value))
    if isinstance(value, (set, frozenset)):
        return list(value)
    return str(value)


def metric(value: Any) -> Any:
    """The same for what is reported: what looks like a number and is none is not turned into words."""
    if isinstance(value, (complex, bytes, bytearray, memoryview)):
        raise TypeError(f"{value!r} ({type(value).__name__}) is no number that can be reported")
    return simpler(value)


def plain(value: Any, other: Callable[[Any], Any] = simpler) -> str:
    """A value as one line of JSON; what JSON cannot take (other keys than words and numbers, circles) raises. `other`
    makes something of values that JSON does not know."""
    try:
        return dumps(value, other)
    except ValueError as error:
        try:
            return dumps(finite(value), other)
        except RecursionError:
            # A circle: what `json` says about it is clearer.
            raise error from None


def dumps(value: Any, other: Callable[[Any], Any]) -> str:
    # Not in ASCII: half a surrogate pair then does not pass for a character when the line is encoded.
    return json.dumps(value, allow_nan=False, default=other, ensure_ascii=False)


def finite(value: Any) -> Any:
    """The same value with NaN and infinities as words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(inner) for inner in value]
    return value
