"""Sessions of pytest with the plugin, in repositories of their own."""

import json
import shutil
import subprocess

import pytest
from conftest import SDK

TESTS = """
import sqlite3
import pytest
from package.work import work

@pytest.fixture
def table():
    # Only the thread that made it may use it: the function is timed where the test runs.
    return sqlite3.connect(":memory:")

def test_work(fairtrial, table):
    assert fairtrial(work, table, n=300) == 300

def test_benchmark(benchmark):
    assert benchmark(sorted, [2, 1]) == [1, 2]
    assert benchmark.extra_info == {}
"""
WORK = """
def work(table, n):
    for _ in range(TIMES * n):
        table.execute("select 1")
    return n
"""


@pytest.fixture
def repository(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", SDK)
    pytester.makepyfile(**{"package/__init__": "", "package/work": WORK.replace("TIMES", "1"), "tests/test_it": TESTS})
    pytester.makefile(".ini", pytest="[pytest]\npythonpath = .\n")
    pytester.makefile(".gitignore", "data/\n__pycache__/\n")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], cwd=pytester.path, check=True)
    return pytester


def session(repository, *options):
    return repository.runpytest_subprocess("-p", "fairtrial.pytest_plugin", "-p", "no:benchmark", *options)


QUICK = ("--fairtrial-metric=cpu", "--fairtrial-min-time=0.02s")


def test_without_an_option_functions_are_called_once(repository):
    result = session(repository)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["2 tests were called once and not timed: *"])
    assert not (repository.path / "data").exists()


def test_a_slower_function_fails_against_a_revision(repository):
    repository.makepyfile(**{"package/work": WORK.replace("TIMES", "4")})
    result = session(repository, "--fairtrial-rev=HEAD", "-k", "test_work", *QUICK)
    result.assert_outcomes(failed=1)
    # What fails is said in plain text, and not in Markdown.
    result.stdout.fnmatch_lines(["Regressed: cpu*", "*test_it.py::test_work: Regressed*"])
    result.stdout.no_fnmatch_line("*<details>*")


def test_code_that_is_not_the_revisions_is_never_judged(repository):
    # As a package that was installed from the files of today.
    repository.makeconftest(f"import sys\nsys.path.insert(0, {str(repository.path)!r})\nimport package.work\n")
    subprocess.run(["git", "add", "-A"], cwd=repository.path, check=True)
    commit = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "second"]
    subprocess.run(commit, cwd=repository.path, check=True)
    result = session(repository, "--fairtrial-rev=HEAD", "--fairtrial-processes=2", "-k", "test_work", *QUICK)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*package*came from*not from the revision*"])


def baseline(repository):
    """Saves one of code that nobody committed, makes it slower and compares: the outcome, and the trees that were measured."""
    options = ("-k", "test_work", "--fairtrial-processes=6", *QUICK)
    repository.makepyfile(**{"package/work": WORK.replace("TIMES", "2")})
    session(repository, "--fairtrial-save=my/main", *options).assert_outcomes(passed=1)
    repository.makepyfile(**{"package/work": WORK.replace("TIMES", "30")})
    result = session(repository, "--fairtrial-baseline=my/main", *options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["tests/test_it.py::test_work: Regressed*cpu*"])
    specs = (repository.path / ".fairtrial").glob("tests-test_it*.json")
    (spec,) = [json.loads(file.read_text()) for file in specs]
    return [arm["tree"] for arm in (spec.get("arms") or {}).values()]


def test_a_baseline_is_kept_and_measured_in_turns_with(repository):
    trees = baseline(repository)
    assert [tree.removeprefix(str(repository.path)) for tree in trees] == ["/.fairtrial/baselines/my_main/files", ""]
    kept = repository.path / ".fairtrial/baselines/my_main/files"
    assert "range(2 * n)" in (kept / "package/work.py").read_text() and not (kept / ".fairtrial").exists()


def test_a_baseline_without_files_is_compared_by_its_times(repository):
    shutil.rmtree(repository.path / ".git")
    assert baseline(repository) == []


def test_options_that_do_not_go_together_are_refused(repository):
    result = session(repository, "--fairtrial-save=a", "--fairtrial-baseline=b")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*do not go together*"])


def test_workers_of_xdist_measure_nothing(repository):
    # As xdist marks the configuration of its workers.
    mark = "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_configure(config):\n    config.workerinput = {}\n"
    repository.makeconftest(mark)
    result = session(repository, "--fairtrial-rev=HEAD")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--fairtrial-rev does not work with pytest-xdist*-n 0*"])


COUNT = """
def pytest_terminal_summary(terminalreporter, config):
    terminalreporter.write_line(f"{config.fairtrial_timed_tests} share the error rate")
"""
OWN = """
import pytest

@pytest.fixture
def benchmark():
    return lambda function, *arguments: function(*arguments)
"""


@pytest.mark.parametrize("own, count", [("", 2), (OWN, 1), (OWN.replace("benchmark()", "benchmark(benchmark)"), 2)])
def test_tests_that_another_fixture_serves_have_no_share_of_the_error_rate(repository, own, count):
    repository.makeconftest(COUNT + own)
    session(repository, "--collect-only").stdout.fnmatch_lines([f"{count} share the error rate"])


def test_processes_that_measure_have_the_plugins_of_the_session(pytester):
    from fairtrial.pytest_plugin import plugin_words

    pytester.makefile(".ini", pytest="[pytest]\naddopts = -p no:doctest -q\n")
    words = plugin_words(pytester.parseconfig("-p", "no:junitxml", "-pno:faulthandler"))
    assert words[:6] == ["-p", "no:doctest", "-p", "no:junitxml", "-p", "no:faulthandler"]


def test_names_of_tests_are_plain_and_different():
    from types import SimpleNamespace

    from fairtrial.pytest_plugin import label

    less, more, other = (label(SimpleNamespace(nodeid=f"tests/test_it.py::test_op[{of}]")) for of in ("<", ">", "ä"))
    assert less != more and less.rsplit("-", 1)[0] == more.rsplit("-", 1)[0] == "tests-test_it.py-test_op"
    assert other.isascii() and len(label(SimpleNamespace(nodeid="a" * 500))) == 109
