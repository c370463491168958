"""Names for experiments and instruments."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar

from .experiments import Experiment

EXPERIMENTS: Dict[str, Type[Experiment]] = {}
INSTRUMENTS: Dict[str, Callable[..., Any]] = {}
#: What each experiment is about.
METRICS: Dict[str, List[Dict[str, str]]] = {}
#: Its summary, where one was given, and its tags.
ABOUT: Dict[str, Dict[str, Any]] = {}

E = TypeVar("E", bound=Type[Experiment])
F = TypeVar("F", bound=Callable[..., Any])


def headlines(metrics: Any) -> List[Dict[str, str]]:
    """The metrics that an experiment is about, as a list shows them."""
    found = []
    for name, about in dict(metrics or {}).items():
        extra = set(about) - {"unit", "direction"}
        if extra:
            raise ValueError(f"the metric {name!r} takes `unit` and `direction`, not {sorted(extra)}")
        if about.get("direction", "up") not in ("up", "down"):
            raise ValueError(f"the direction of {name!r} is 'up' or 'down', not {about['direction']!r}")
        found.append({"name": name, **about})
    return found


def register_experiment(
    slug: str,
    summary: Optional[str] = None,
    tags: Sequence[str] = (),
    metrics: Optional[Mapping[str, Mapping[str, str]]] = None,
) -> Callable[[E], E]:
    """Registers a class under a slug. The summary is by default the first line of its docstring.

    `metrics` are those that it is about, the most important one first, each with its `unit` and the `direction`
    ("up" or "down") that is better: `{"rows_per_s": {"unit": "1/s", "direction": "up"}}`. Without them it is about how
    long it takes.
    """
    about = headlines(metrics)

    def register(cls: E) -> E:
        known = EXPERIMENTS.get(slug)
        # A class may take its parent's place: `run` registers a class with its parameters written out.
        if known is not None and known is not cls and not issubclass(cls, known):
            raise ValueError(f"two experiments are registered as {slug!r}: {known!r} and {cls!r}")
        EXPERIMENTS[slug] = cls
        METRICS[slug] = about
        ABOUT[slug] = {"summary": summary, "tags": list(tags)}
        return cls

    return register


def register_instrument(name: str) -> Callable[[F], F]:
    """Registers a context manager as an instrument.

    It is entered before the clock is read and left after it has been read again, with a dictionary as its argument
    (and the instrument's options as keyword arguments); what it puts there is kept with the iteration.
    """

    def register(instrument: F) -> F:
        INSTRUMENTS[name] = instrument
        return instrument

    return register
