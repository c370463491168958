"""The trial that a script runs in: `with fairtrial.trial() as t: t.log(step, reward=...)`. Outside of one it does nothing."""

import copy
import functools
import inspect
import json
import os
from typing import Any, Callable, Dict, Optional

from .metrics import log


class trial:
    """A context manager, and a decorator of a function that takes the trial.

    Keywords are the script's own settings; inside of Fairtrial, those of the trial take their place:
    `with fairtrial.trial(lr=1e-3) as t: train(t.params["lr"], t.seed)`. What a decorated function returns as a dictionary
    is logged as final metrics.
    """

    def __init__(self, function: Optional[Callable[..., Any]] = None, *, seed: int = 0, **params: Any):
        self.function = function
        if function is not None:
            functools.update_wrapper(self, function)
        env = os.environ
        #: Whether Fairtrial runs this.
        self.inside = "FAIRTRIAL_TRIAL" in env
        #: The trial's name; empty outside.
        self.name = env.get("FAIRTRIAL_TRIAL", "")
        #: Where files of the trial belong: the folder the script runs in, outside.
        self.dir = env.get("FAIRTRIAL_DIR", os.getcwd())
        #: The folder that every attempt at this trial gets, to save in and to go on from; None where the spec has no
        #: `checkpoint`.
        self.checkpoint: Optional[str] = env.get("FAIRTRIAL_CHECKPOINT")
        #: Which attempt this is, from 1: above 1 there may be something to go on from.
        self.attempt = int(env.get("FAIRTRIAL_ATTEMPT", 1))
        self.seed = int(env.get("FAIRTRIAL_SEED", seed))
        #: The script's settings.
        self.params: Dict[str, Any] = {**params, **params_of(env.get("FAIRTRIAL_PARAMS"))}

    def log(self, step: Optional[float] = None, metrics: Optional[Dict[str, Any]] = None, **values: Any) -> None:
        """Reports metrics: with a step as points of curves, without one as final values."""
        log(metrics, step=step, **values)

    def __enter__(self) -> "trial":
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.function is not None:
            returned = self.function(self, *arguments, **named)
            return self.logged_later(returned) if inspect.iscoroutine(returned) else self.logged(returned)
        (function,) = arguments
        self.function = function
        return functools.update_wrapper(self, function)


    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None or self.function is None:
            return self
        # A method: its instance comes first, the trial after it.
        method = self.function.__get__(instance, owner)
        bound = copy.copy(self)
        bound.function = lambda t, *arguments, **named: method(t, *arguments, **named)
        return bound

    def logged(self, returned: Any) -> Any:
        if isinstance(returned, dict):
            self.log(metrics=returned)
        return returned

    async def logged_later(self, returned: Any) -> Any:
        return self.logged(await returned)


def params_of(file: Optional[str]) -> Dict[str, Any]:
    if not file:
        return {}
    with open(file, encoding="utf-8") as opened:
        return json.load(opened)
