"""The contract between an experiment and the worker that runs it."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional


@dataclass
class ExperimentContext:
    """What an experiment is told, and how it tells things besides its metrics."""

    #: The run's stamp.
    run_id: str = ""
    #: The trial's name.
    trial: str = ""
    #: Where result files go.
    output_dir: str = ""
    #: The trial's own directory: files written here are kept.
    run_dir: str = ""
    #: Number of the measured iteration, from 0; None in setup, warm-ups and teardown.
    iteration_index: Optional[int] = None
    #: The seed. `random` and numpy are seeded with it before setup; a numpy that is imported later, as it is imported.
    seed: Optional[int] = None
    #: Names of the instruments that observe the trial.
    instruments: List[str] = field(default_factory=list)
    #: A place for your own things between the calls.
    extras: Dict[str, Any] = field(default_factory=dict)
    _tell: Optional[Callable[[Dict[str, Any]], None]] = None

    def log(self, text: str) -> None:
        """Says something for the trial's log."""
        if self._tell is not None:
            self._tell({"event": "log", "text": str(text)})

    def artifact(self, name: str, path: str, type: str = "file") -> None:
        """Names a file that was written; one in `run_dir/artifacts` is copied to `output_dir` too."""
        if self._tell is not None:
            self._tell({"event": "artifact", "name": name, "type": type, "path": str(path)})


class Experiment:
    """A registered experiment: `setup` once, `execute_once` per iteration, `teardown` always.

    `param_schema` is the part of JSON Schema that Fairtrial checks specs against before anything runs:
    `{"properties": {name: {"type", "default", "minimum", "maximum", "enum", "items"}}, "required": [...]}`.
    Without one, the annotations and defaults of `__init__` are used. Parameters arrive as keyword arguments.
    """

    param_schema: Dict[str, Any] = {}

    def __init__(self, parameters: Optional[Dict[str, Any]] = None, **params: Any):
        self.params: Dict[str, Any] = {**(parameters or {}), **params}

    def setup(self, context: ExperimentContext) -> None:
        """Makes ready, once."""

    def execute_once(self, context: ExperimentContext) -> Dict[str, Any]:
        """Does the work once and returns its metrics. The clock runs around this call and nothing else."""
        raise NotImplementedError

    def teardown(self, context: ExperimentContext) -> None:
        """Cleans up; called once, also after a failure."""
