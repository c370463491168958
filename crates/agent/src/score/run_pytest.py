"""Runs pytest on a test and signs its result with a word that only this file is told.

The code under test runs in the process of its tests. So what it can do to them is looked for: a test that must fail runs
among the others, each outcome is noted where it arises, and the parts of pytest that decide are compared with what they were.
"""

import importlib.util
import os
import sys

UNSIGNED = "not-signed"


def fails():
    """The test that must fail."""
    raise AssertionError("this must fail")


class Watch:
    """A plugin of pytest's that knows what happened whatever is reported."""

    def __init__(self, pytest, modules):
        self.pytest, self.modules = pytest, modules
        self.before = self.code()
        self.outcomes, self.canary, self.answers = {}, None, []

    def code(self):
        """The functions that decide what a test's outcome is and how it is told."""
        found = {}
        for module in self.modules:
            for name, value in vars(module).items():
                if getattr(value, "__module__", None) != module.__name__:
                    continue
                own = vars(value).items() if isinstance(value, type) else [("", value)]
                for part, function in own:
                    function = getattr(function, "__func__", function)
                    if hasattr(function, "__code__"):
                        found[module.__name__, name, part] = function.__code__
        return found

    def pytest_collection_finish(self, session):
        last = session.items[-1] if session.items else None
        parent = last.getparent(self.pytest.Module) if last else None
        if parent is not None and hasattr(self.pytest.Function, "from_parent"):
            self.canary = self.pytest.Function.from_parent(parent, name="test_that_must_fail", callobj=fails)

    def pytest_runtest_protocol(self, item, nextitem):
        if nextitem is not None or self.canary is None or item is self.canary:
            return None
        canary = self.canary
        item.ihook.pytest_runtest_protocol(item=item, nextitem=canary)
        reports = self.modules[0].runtestprotocol(canary, log=False, nextitem=None)
        self.answers = [report.outcome for report in reports]
        return True

    def pytest_runtest_makereport(self, item, call):
        report = yield
        result = report.get_result()
        if item is not self.canary:
            self.outcomes[item.nodeid, result.when] = result.outcome

    def wrong(self):
        """Why a success is none."""
        if self.canary is not None and "failed" not in self.answers:
            return "a test that must fail did not"
        if "failed" in self.outcomes.values():
            return "a test that failed was not reported"
        if self.code() != self.before:
            return "parts of pytest were replaced"
        return None


def main():
    secret, result, *words = sys.argv[1:]
    with open(secret) as file:
        word = file.read()
    os.unlink(secret)
    sys.argv[1:] = words
    # Pytest is taken from where it is installed: what an agent left in the workspace may bear the same name.
    own = ("", os.getcwd(), os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = [path for path in sys.path if path not in own]
    import pytest
    import _pytest.junitxml
    import _pytest.main
    import _pytest.reports
    import _pytest.runner

    hook = pytest.hookimpl
    Watch.pytest_collection_finish = hook(trylast=True)(Watch.pytest_collection_finish)
    Watch.pytest_runtest_protocol = hook(tryfirst=True)(Watch.pytest_runtest_protocol)
    Watch.pytest_runtest_makereport = hook(hookwrapper=True, tryfirst=True)(Watch.pytest_runtest_makereport)
    watch = Watch(pytest, [_pytest.runner, _pytest.reports, _pytest.main, _pytest.junitxml])
    words = [f"--junitxml={result}", "-o", f"junit_suite_name={UNSIGNED}", *words]
    if importlib.util.find_spec("xdist"):
        # Other processes would run the tests, where nobody watches.
        words.append("-n0")
    sys.path.insert(0, os.getcwd())
    open_file, leave = os.open, os._exit
    read, write, close = os.read, os.write, os.close
    code = int(pytest.main(words, plugins=[watch]))
    wrong = watch.wrong() if code == 0 else None
    if code == 0:
        file = open_file(result, os.O_RDONLY)
        text, part = b"", b"-"
        while part:
            part = read(file, 1 << 20)
            text += part
        close(file)
        name = f"changed: {wrong}" if wrong else word
        text = text.replace(f'name="{UNSIGNED}"'.encode(), f'name="{name}"'.encode(), 1)
        file = open_file(result, os.O_WRONLY | os.O_TRUNC)
        while text:
            text = text[write(file, text) :]
        close(file)
    sys.stdout.flush()
    sys.stderr.flush()
    # Nothing that the code under test left for later runs after the result.
    leave(code)


main()
