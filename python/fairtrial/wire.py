"""JSON as the driver reads it: numbers of any library, and values that JSON has no word for."""

import json
import math
from functools import lru_cache
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


#: Whole numbers beyond this one lose digits where numbers are fractions, as in every aggregate.
LARGEST_WHOLE = 2**53
#: Deeper tables are no results.
DEEPEST = 100


def reported(metrics: Any) -> str:
    """What an iteration returned, as one line of JSON; what cannot be kept as it is raises, by its name."""
    try:
        line = plain(metrics, metric)
    except RecursionError:
        fit(metrics)
        raise
    except ValueError as error:
        # Of a number that Python refuses to write; what it says about circles is clear.
        if "string conversion" in str(error):
            fit(metrics)
        raise
    fit(metrics)
    return line


def shown(number: int) -> str:
    """A whole number, or how large it is: Python refuses to write the longest ones."""
    bits = number.bit_length()
    return str(number) if bits <= 128 else f"a whole number of {bits} bits"


def fit(value: Any, name: str = "", depth: int = 0) -> None:
    """Raises where a whole number is too large or tables are nested too deep."""
    if isinstance(value, bool):
        return
    if getattr(getattr(value, "dtype", None), "kind", "") in ("i", "u"):
        value = simpler(value)
    if isinstance(value, int):
        if abs(value) > LARGEST_WHOLE:
            raise ValueError(
                f"`{name}`: {shown(value)} is beyond 2^53, where whole numbers lose digits; "
                "report it in a larger unit, or as a text"
            )
    elif isinstance(value, (dict, list, tuple)):
        if depth > DEEPEST:
            raise ValueError(
                f"`{name[:40]}...` is nested deeper than {DEEPEST} levels; "
                "report less of it, or leave it in a file"
            )
        if isinstance(value, dict):
            for key, inner in value.items():
                if key is None or isinstance(key, bool):
                    raise TypeError(f"{key} is no key of a result: keys are words or numbers")
                fit(inner, f"{name}.{key}" if name else str(key), depth + 1)
        else:
            for inner in value:
                fit(inner, name, depth + 1)


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
    return encoder(other)(value)


@lru_cache(maxsize=None)
def encoder(other: Callable[[Any], Any]) -> Callable[[Any], str]:
    """Writes JSON. `json.dumps` would make such a thing anew for every value."""
    # Not in ASCII: half a surrogate pair then does not pass for a character when the line is encoded.
    return json.JSONEncoder(allow_nan=False, default=other, ensure_ascii=False).encode


def finite(value: Any) -> Any:
    """The same value with NaN and infinities as words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(inner) for inner in value]
    return value
