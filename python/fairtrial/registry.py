"""Names for experiments and instruments."""

from typing import Any, Callable, Dict, Optional, Sequence, Type, TypeVar

from .experiments import Experiment

EXPERIMENTS: Dict[str, Type[Experiment]] = {}
INSTRUMENTS: Dict[str, Callable[..., Any]] = {}

E = TypeVar("E", bound=Type[Experiment])
F = TypeVar("F", bound=Callable[..., Any])


def register_experiment(
    slug: str, summary: Optional[str] = None, tags: Sequence[str] = ()
) -> Callable[[E], E]:
    """Registers a class under a slug. The summary is by default the first line of its docstring."""

    def register(cls: E) -> E:
        known = EXPERIMENTS.get(slug)
        if known is not None and known is not cls:
            raise ValueError(f"two experiments are registered as {slug!r}: {known!r} and {cls!r}")
        EXPERIMENTS[slug] = cls
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
