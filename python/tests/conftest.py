"""Each test has an empty project as its working folder. `FAIRTRIAL_BIN` names the command that is tested."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
SDK = str(Path(__file__).parents[1])


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FAIRTRIAL_DATA", raising=False)
    return Project(tmp_path)


class Project:
    """A folder, and Python in a process of its own in it."""

    def __init__(self, path):
        self.path = path

    def write(self, name, text):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))

    def start(self, *arguments):
        path = os.pathsep.join([SDK, os.environ.get("PYTHONPATH", "")])
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.path,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def python(self, *arguments, code=0):
        process = self.start(*arguments)
        out, said = process.communicate()
        assert process.returncode == code, f"{arguments}: {process.returncode}\n{out}\n{said}"
        return out + said


#: Two arms, the second 40 higher.
ARMS = """
name = "arms"
seeds = 6
command = ["sh", "-c", 'echo "{\\"v\\": $(( {lift} + FAIRTRIAL_SEED % 7 ))}" >> $FAIRTRIAL_METRICS']
[arms.control]
lift = 100
[arms.candidate]
lift = 140
[metrics.v]
direction = "up"
"""
