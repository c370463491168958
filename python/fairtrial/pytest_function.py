"""A test's function as an experiment: the worker runs the test, and stays inside of it while the function is timed."""

import os
import shlex
import sys
from typing import Any, Callable, Dict, Iterator, List, Optional

from .experiments import Experiment, ExperimentContext
from .registry import register_experiment
from .specs import FOLDER

#: Options of the file of settings are for the whole suite (`-n auto`, `--cov`): one test needs none.
PLUGINS = ("-o", "addopts=", "-p", "no:cacheprovider", "-p", "fairtrial.pytest_plugin")

#: The variable with the plugins that the session itself was given or denied, as words of its command line.
PLUGINS_OF_SESSION = "FAIRTRIAL_PYTEST_PLUGINS"


@register_experiment("pytest_function")
class PytestFunction(Experiment):
    """Times the function that a test hands to the `fairtrial` fixture."""

    def __init__(self, test: str, tree: str, home: str):
        """`test` is the test's id, `tree` the folder whose code runs, `home` the folder whose tests were asked for."""
        super().__init__({"test": test, "tree": tree, "home": home})
        self.work: Optional[Callable[[], Any]] = None

    def around(self, context: ExperimentContext, serve: Callable[[], None]) -> None:
        """Runs the test; `serve` is called from inside of it, when the function is there."""
        import pytest

        tree, home = self.params["tree"], self.params["home"]
        os.chdir(tree)
        sys.path[:] = [moved(place, home, tree) for place in sys.path]
        inside = Inside(self, serve)
        # As those of the file of settings; what it says about plugins is among the words.
        os.environ.pop("PYTEST_ADDOPTS", None)
        plugins = shlex.split(os.environ.get(PLUGINS_OF_SESSION, ""))
        arguments = [self.params["test"], f"--rootdir={tree}", "-q", *plugins, *PLUGINS]
        code = pytest.main(arguments, plugins=[inside])
        if inside.served:
            return
        said = inside.failure or f"pytest ended with {code!r}"
        if code == pytest.ExitCode.OK:
            said = "it hands no function to the fixture `fairtrial`"
        raise RuntimeError(f"{self.params['test']} could not be timed in {tree}: {said}")

    def execute_once(self, context: ExperimentContext) -> Dict[str, Any]:
        self.work()  # type: ignore[misc]
        return {}

    def check_origin(self) -> None:
        """What is timed must be the revision's code: an installed package may lead back to the files of today."""
        tree, home = self.params["tree"], self.params["home"]
        if tree == home:
            return
        astray: List[str] = sorted(astray_modules(tree, home))
        if astray:
            raise ImportError(
                f"{', '.join(astray[:5])} came from {home}, not from the revision in {tree}: "
                "is the package installed from there (`pip install -e`)?"
            )


class Inside:
    """The plugin of the worker's own pytest: the fixture's call stays until everything is timed."""

    def __init__(self, experiment: PytestFunction, serve: Callable[[], None]):
        self.experiment = experiment
        self.serve = serve
        self.served = False
        self.failure = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.failure = crash.message if crash is not None else report.longreprtext

    def pytest_configure(self, config: Any) -> None:
        config.fairtrial_timed = self.timed

    def timed(self, work: Callable[[], Any]) -> Any:
        if self.served:
            raise RuntimeError("one test hands one function to the fixture `fairtrial`")
        result = work()
        self.experiment.check_origin()
        self.served = True
        self.experiment.work = work
        self.serve()
        return result


def moved(place: str, home: str, tree: str) -> str:
    """A folder of the files of today, in the revision."""
    inside = os.path.relpath(os.path.abspath(place), home)
    return place if inside.startswith(os.pardir) else os.path.normpath(os.path.join(tree, inside))


def astray_modules(tree: str, home: str) -> Iterator[str]:
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        own = file.startswith(home + os.sep) and not file.startswith(tree + os.sep)
        # The module that registers this experiment is in such a folder too, wherever the data root is.
        if own and f"{os.sep}{FOLDER}{os.sep}" not in file and "site-packages" not in file and not file.startswith((sys.prefix, sys.base_prefix)):
            yield name
