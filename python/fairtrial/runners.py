"""The names of the framework that Fairtrial descends from: `Runner`, `SweepRunner` and `compare_results`.

Scripts that were written for it work with other imports. The work is done by the command: each run is a process of its own.
"""

from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence

from .experiments import Experiment
from .results import RunResult
from .runs import Run, run
from .verdicts import compare


class Runner:
    """Runs one experiment with the parameters it was made with; `run` gives back its result."""

    def __init__(self, *, name: str, experiment: Experiment, **settings: Any):
        self.name = name
        self.experiment = experiment
        self.settings = settings_of(**settings)

    def run(self) -> RunResult:
        made = run(type(self.experiment), params=self.experiment.params, name=self.name, **self.settings)
        return replace(results_of(made)[0], name=self.name)


class SweepRunner:
    """Runs a registered experiment at every point of a grid, or at points that are drawn from it."""

    def __init__(self, *, experiment_slug: str, base_params: Optional[Dict[str, Any]] = None, **settings: Any):
        self.experiment_slug = experiment_slug
        self.base_params = base_params or {}
        self.settings = settings_of(**settings)

    def run_cartesian(self, sweep: Dict[str, List[Any]]) -> List[RunResult]:
        return self.results(sweep)

    def run_random(self, sweep_space: Dict[str, List[Any]], samples: int) -> List[RunResult]:
        return self.results(sweep_space, strategy="random", samples=samples)

    def results(self, sweep: Dict[str, List[Any]], **more: Any) -> List[RunResult]:
        base = {name: value for name, value in self.base_params.items() if name not in sweep}
        return results_of(run(self.experiment_slug, params=base, sweep=sweep, **more, **self.settings))


def compare_results(a_path: str, b_path: str) -> str:
    """Two result files, or two folders of them, compared; as Markdown."""
    return compare(a_path, b_path).markdown


def settings_of(
    output_dir: str = "benchmarks/results",
    iterations_warmup: int = 0,
    iterations_measured: int = 1,
    seed: Optional[int] = None,
    tags: Sequence[str] = (),
    notes: str = "",
    instruments: Sequence[Any] = ("timing",),
) -> Dict[str, Any]:
    """The original's arguments as keys of a spec."""
    once = {"processes": 1} if seed is None else {"seed": seed}
    return {
        "output_dir": output_dir,
        "iterations": {"warmup": max(0, int(iterations_warmup)), "measured": max(1, int(iterations_measured))},
        "tags": list(tags or ()),
        "notes": notes,
        "instrumentation": list(instruments or ("timing",)),
        **once,
    }


def results_of(made: Run) -> List[RunResult]:
    """The results of a run; where a trial failed there is no result to go on with."""
    if not made.ok:
        raise RuntimeError(f"{made!r}: `fairtrial logs {made.name}` shows what failed")
    return made.results
