"""The pytest plugin: `def test_x(fairtrial): fairtrial(function, *arguments)` times the function, if it is asked to.

Without an option the function is called once. With `--fairtrial-rev REV` it is timed in turns with the one of that revision,
each process a pytest of its own, and a test whose function became slower fails. `--fairtrial-save NAME` keeps the files as they
are, and their times; `--fairtrial-baseline NAME` times the functions in turns with those files. `benchmark(function)` of pytest-benchmark works too, where
that plugin is not there.
"""

import hashlib
import os
import re
import shlex
from typing import Any, Callable, Dict, List, Optional, Tuple

import pytest

#: Seeds of a comparison: most processes of each side; it stops when it is decided.
PROCESSES = 20
#: Processes of a run that is kept, or is compared with one.
KEPT_PROCESSES = 10

#: What may be compared, by the names that the option takes.
METRICS = {"wall": "duration_s", "cpu": "cpu_s"}


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("fairtrial", "timing of functions with the fixture `fairtrial`")
    group.addoption("--fairtrial-rev", metavar="REV", help="compare with this git revision, in turns")
    group.addoption("--fairtrial-save", metavar="NAME", help="keep files and times as a baseline of this name")
    group.addoption("--fairtrial-baseline", metavar="NAME", help="compare with a baseline that was kept, in turns")
    group.addoption("--fairtrial-margin", metavar="SHARE", default="5%", help="a change that does not matter [5%%]")
    group.addoption(
        "--fairtrial-metric", choices=list(METRICS), default="wall", help="cpu is steadier on a busy machine [wall]"
    )
    group.addoption("--fairtrial-min-time", metavar="TIME", default="0.3s", help="time of a process [0.3s]")
    group.addoption("--fairtrial-processes", metavar="N", type=int, help="processes of each side")
    group.addoption("--fairtrial-strict", action="store_true", help="fail where it is inconclusive, too")


def pytest_configure(config: Any) -> None:
    asked = [name for name in ("rev", "save", "baseline") if option(config, name)]
    if len(asked) > 1:
        words = " and ".join(f"--fairtrial-{name}" for name in asked)
        raise pytest.UsageError(f"{words} do not go together")
    # In a worker, or where workers will be started.
    parallel = hasattr(config, "workerinput") or config.getoption("dist", "no") not in ("no", None)
    if asked and parallel:
        raise pytest.UsageError(
            f"--fairtrial-{asked[0]} does not work with pytest-xdist: workers that run beside each other would disturb "
            "the times; add `-n 0`"
        )
    config.fairtrial_lines = []
    config.fairtrial_called = 0
    config.fairtrial_kept = False
    if not config.pluginmanager.hasplugin("benchmark"):
        config.pluginmanager.register(BenchmarkFixture(), "fairtrial-benchmark")


def option(config: Any, name: str) -> Any:
    return config.getoption(f"fairtrial_{name}")


def pytest_collection_finish(session: Any) -> None:
    # All comparisons of a session share one error rate.
    session.config.fairtrial_timed_tests = max(1, sum(is_timed(item) for item in session.items))


def is_timed(item: Any) -> bool:
    """Whether a fixture of ours serves the test: others may have one of the same name."""
    used = {"fairtrial", "benchmark"} & set(getattr(item, "fixturenames", ()))
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    return any(is_ours(name, known.get(name, ())) for name in used)


def is_ours(name: str, definitions: Any) -> bool:
    """Whether a fixture comes to ours; the last definition counts, and those that it asks for under the same name."""
    for definition in reversed(definitions):
        if getattr(definition.func, "__module__", None) == __name__:
            return True
        if name not in definition.argnames:
            return False
    return False


@pytest.fixture
def fairtrial(request: Any) -> "Timed":
    """Times a function: `fairtrial(function, *arguments)` gives back what the function returns."""
    return Timed(request)


class BenchmarkFixture:
    """The fixture of pytest-benchmark, where that plugin is not there."""

    @pytest.fixture
    def benchmark(self, request: Any) -> "Timed":
        """Times a function, as the fixture of pytest-benchmark."""
        return Timed(request)


class Timed:
    """What both fixtures are."""

    def __init__(self, request: Any):
        self.item = request.node
        #: Notes of the test, as pytest-benchmark has them.
        self.extra_info: Dict[str, Any] = {}

    def __call__(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        config = self.item.config

        def work() -> Any:
            return function(*arguments, **named)

        inside = getattr(config, "fairtrial_timed", None)
        if inside is not None:
            return inside(work)
        result = work()
        if any(option(config, name) for name in ("rev", "save", "baseline")):
            judge(self.item)
        else:
            config.fairtrial_called += 1
        return result

    def pedantic(
        self,
        target: Callable[..., Any],
        args: Tuple[Any, ...] = (),
        kwargs: Optional[Dict[str, Any]] = None,
        setup: Optional[Callable[..., Any]] = None,
        **_: Any,
    ) -> Any:
        """The same; how often it runs is chosen by the measurement."""
        if setup is not None:
            raise NotImplementedError("`setup` of `pedantic` is not supported: do it in a fixture, or in the function")
        return self(target, *args, **(kwargs or {}))


def judge(item: Any) -> None:
    """Times the test's function in processes of its own; a function that became slower fails the test."""
    from .command import FairtrialError, ask, ask_for_markdown, run_through
    from .specs import file_name
    from .trees import TreeError, checked_out, keep_files, kept_files

    config = item.config
    home = str(config.rootpath)
    rev, save, baseline = (option(config, name) for name in ("rev", "save", "baseline"))
    try:
        if save and not config.fairtrial_kept:
            config.fairtrial_kept = True
            keep_files(save, home)
        tree = checked_out(rev, home) if rev else baseline and kept_files(baseline, home)
        made = measured(item, home, tree)
        name = f"{file_name(save or baseline or '')}-{label(item)}"
        if save:
            ask(["gate", made.dir, f"--save-baseline={name}", "--json"])
            return say(item, f"kept as {name}")
        # Without its files there are its times, of another day.
        against = [f"--baseline={name}"] if baseline and not tree else []
        question = ["gate", made.dir, *against]
        answer, markdown = ask_for_markdown(question)
    except TreeError as error:
        raise pytest.UsageError(str(error)) from None
    except FairtrialError as error:
        pytest.fail(f"fairtrial: {error}", pytrace=False)
    word = answer.json["word"]
    # The heading is the sentence, after its sign.
    say(item, markdown.splitlines()[0].split(" ", 2)[-1].replace("\\", ""))
    if word in ("regressed", "invalid") or (word == "inconclusive" and option(config, "strict")):
        shown = run_through(question).stdout
        pytest.fail(f"{shown}\n{made.dir}{first_failure(made)}", pytrace=False)


def measured(item: Any, home: str, tree: Optional[str]) -> Any:
    """The run: of the files as they are, or in turns with those of a revision."""
    from .pytest_function import PLUGINS_OF_SESSION, PytestFunction
    from .runs import run

    config = item.config
    fixed = option(config, "processes")
    metric = METRICS[option(config, "metric")]
    arms = {"control": {"tree": tree}, "candidate": {"tree": home}} if tree else None
    params = {"test": item.nodeid, "home": home, **({} if tree else {"tree": home})}
    made = run(
        PytestFunction,
        params=params,
        arms=arms,
        name=label(item),
        seeds=fixed or (PROCESSES if tree else KEPT_PROCESSES),
        iterations={"min_time": option(config, "min_time")},
        metrics={metric: {"direction": "down", "unit": "s", "margin": option(config, "margin")}},
        analysis={"metric": metric, "alpha": 0.05 / config.fairtrial_timed_tests},
        watch=[str(item.path)],
        env={PLUGINS_OF_SESSION: shlex.join(plugin_words(config))},
        output_dir=os.path.join(home, ".fairtrial", "results"),
        options={"until": "decided"} if tree and not fixed else None,
        quiet=True,
    )
    return made


def plugin_words(config: Any) -> List[str]:
    """What the session was told about plugins (`-p`): a process that measures has the same ones."""
    given = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    given = [*config.getini("addopts"), *given, *map(str, config.invocation_params.args)]
    words: List[str] = []
    for at, word in enumerate(given):
        if word == "-p" and at + 1 < len(given):
            words += ["-p", given[at + 1].strip()]
        elif word.startswith("-p") and word != "-p":
            words += ["-p", word[2:].strip()]
    if not config.pluginmanager.hasplugin("benchmark"):
        words += ["-p", "no:benchmark"]
    return words


def first_failure(made: Any) -> str:
    """What the first process that failed said."""
    errors = (result.more.get("error") for result in made.results)
    return next((f"; a process said: {error}" for error in errors if error), "")


def label(item: Any) -> str:
    """The test's id as the name of a benchmark; the digits tell `test[<]` from `test[>]`."""
    readable = re.sub(r"[^A-Za-z0-9_.-]+", "-", item.nodeid)[:100].strip("-")
    return f"{readable}-{hashlib.sha256(item.nodeid.encode(errors='replace')).hexdigest()[:8]}"


def say(item: Any, text: str) -> None:
    item.config.fairtrial_lines.append(f"{item.nodeid}: {text}")


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    lines: List[str] = config.fairtrial_lines
    if config.fairtrial_called and not hasattr(config, "fairtrial_timed"):
        tests = "test was" if config.fairtrial_called == 1 else "tests were"
        lines.append(f"{config.fairtrial_called} {tests} called once and not timed: --fairtrial-rev REV compares")
    if lines:
        terminalreporter.section("fairtrial")
        for line in lines:
            terminalreporter.write_line(line)
