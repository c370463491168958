"""Runs started from Python: `run` gives back what the command says about them."""

import json
import os
import sys
import warnings
from typing import Any, Dict, List, Mapping, Optional

from .command import INTERRUPTED, Answer, ask, attend, flags
from .display import as_html, progress
from .results import RunResult
from .verdicts import Verdict, compare

#: Endings of files that are specs.
SPECS = (".toml", ".yaml", ".yml", ".json")
#: Programs that import modules of the user: a run that is started there would start itself again.
IMPORTERS = ("fairtrial.worker", "fairtrial.imported")


class Run:
    """A run that was made: what it came to, where it is, and its trials."""

    def __init__(self, json: Dict[str, Any]):
        #: The command's own JSON.
        self.json = json
        self.name: str = json["name"]
        self.stamp: str = json["stamp"]
        #: The run's folder, which every command takes for the run.
        self.dir: str = json["dir"]
        #: finished, cancelled, ...
        self.status: str = json["status"]
        #: Trials by outcome.
        self.counts: Dict[str, int] = json["counts"]

    @property
    def ok(self) -> bool:
        """Whether every trial was run and ended well."""
        return self.status == "finished" and self.counts["ok"] == self.json["trials"]

    def verdict(self, **options: Any) -> Verdict:
        """Every arm against the control; options as for `compare`."""
        return compare(self.dir, **options)

    def trials(self, frame: str = "auto", **options: Any) -> Any:
        """Its trials as a table: see `load`."""
        from .tables import load

        return load(self, frame, **options)

    @property
    def results(self) -> List[RunResult]:
        """The result files of its experiments, in the order of the plan."""
        files = (os.path.join(folder, "result.json") for folder in self.trial_dirs())
        return [RunResult.load(file) for file in files if os.path.exists(file)]

    def trial_dirs(self) -> List[str]:
        """The folders of its trials. Those of a large run are there after `fairtrial unpack NAME --all`."""
        with open(os.path.join(self.dir, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        # They are named from the folder that holds the data root: `data/rollouts/NAME/STAMP` is three below it.
        root = os.path.normpath(os.path.join(self.dir, *[os.pardir] * 4))
        return [os.path.join(root, trial["run_dir"]) for trial in manifest["results"]]

    def __repr__(self) -> str:
        outcomes = ", ".join(f"{count} {word}" for word, count in self.counts.items() if count)
        return f"<Run {self.name} {self.stamp}: {self.status}, {outcomes or 'no trial'} of {self.json['trials']}>"

    def _repr_html_(self) -> str:
        try:
            with open(os.path.join(self.dir, "summary.md"), encoding="utf-8") as file:
                return as_html(file.read())
        except OSError:
            return as_html(repr(self).strip("<>"))


class Interrupted(KeyboardInterrupt):
    """The run was interrupted. What it has done is kept: the same call with `resume=True` does the rest."""

    def __init__(self, run: Run):
        super().__init__(f"{run!r}: the same call with resume=True does the rest")
        self.run = run


def run(
    what: Any,
    params: Optional[Mapping[str, Any]] = None,
    sweep: Optional[Mapping[str, Any]] = None,
    *,
    resume: bool = False,
    quiet: bool = False,
    options: Optional[Mapping[str, Any]] = None,
    **spec: Any,
) -> Run:
    """Runs a spec file, an experiment's class, or a registered experiment by its slug.

    `run("bench.toml")`, `run(MyExperiment, params={"size": 10}, sweep={"mode": ["a", "b"]}, processes=5)`. Further
    keywords are keys of the spec: of a file they take the place of what stands there. `options` are those of the command
    (`{"until": "decided"}`). With `resume=True` the newest run of the same name goes on.
    Ctrl-C once lets the trials in flight finish, twice ends them; `Interrupted` is raised, and the run can be resumed.
    """
    if getattr(sys.modules["__main__"].__spec__, "name", "") in IMPORTERS:
        raise RuntimeError(
            "`fairtrial.run` was called while the experiment's module was imported: "
            'put the call under `if __name__ == "__main__":`'
        )
    given = {"params": params, "sweep": sweep, **spec}
    given = {key: value for key, value in given.items() if value is not None}
    if isinstance(what, (str, os.PathLike)) and os.fspath(what).endswith(SPECS):
        arguments = [os.fspath(what), *changes(given)]
    else:
        from .specs import written

        arguments = [written(what, given)]
    words = flags({**(options or {}), "resume": resume, "json": True})
    answer = attend(["run", *arguments, *words], (lambda _: None) if quiet else progress())
    return ended(answer, quiet)


def ended(answer: Answer, quiet: bool) -> Run:
    made = Run(answer.json)
    if answer.code == INTERRUPTED:
        raise Interrupted(made)
    if answer.code != 0 and not quiet:
        warnings.warn(f"{made!r}: `fairtrial logs {made.name}` shows what failed", stacklevel=3)
    return made


def changes(given: Mapping[str, Any], before: str = "") -> List[str]:
    """Keys of the spec as `--set` takes them."""
    from .wire import plain

    words: List[str] = []
    for key, value in given.items():
        if isinstance(value, Mapping):
            words += changes(value, f"{before}{key}.")
        else:
            words.append(f"--set={before}{key}={value if isinstance(value, str) else plain(value)}")
    return words


def data_root() -> str:
    """The folder where runs of this project are kept."""
    return ask(["where", "--json"]).json["data_root"]
