"""The wheel: built by maturin around the command that is tested, installed where nothing else is, and used.

Nothing is compiled: `cargo` is a stand-in that hands maturin the binary that is already there.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]
STAND_IN = """#!{python}
import json, os, subprocess, sys
if sys.argv[1] not in ("rustc", "build"):
    os.execv({cargo!r}, [{cargo!r}, *sys.argv[1:]])
metadata = subprocess.check_output(
    [{cargo!r}, "metadata", "--format-version=1", "--no-deps", "--manifest-path", {manifest!r}]
)
package = next(one for one in json.loads(metadata)["packages"] if one["name"] == "fairtrial")
target = next(one for one in package["targets"] if one["kind"] == ["bin"])
profile = dict(opt_level="0", debuginfo=0, debug_assertions=True, overflow_checks=True, test=False)
print(json.dumps(dict(
    reason="compiler-artifact", package_id=package["id"], manifest_path=package["manifest_path"], target=target,
    profile=profile, features=[], filenames=[{binary!r}], executable={binary!r}, fresh=True,
)))
print(json.dumps(dict(reason="build-finished", success=True)))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    binary = folder / "fairtrial"
    subprocess.run(["strip", "-o", str(binary), os.environ["FAIRTRIAL_BIN"]], check=True)
    (folder / "bin").mkdir()
    cargo = folder / "bin/cargo"
    manifest = str(PACKAGE.parent / "crates/cli/Cargo.toml")
    real = shutil.which("cargo")
    cargo.write_text(STAND_IN.format(python=sys.executable, cargo=real, manifest=manifest, binary=str(binary)))
    cargo.chmod(0o755)
    path = f"{cargo.parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [sys.executable, "-m", "maturin", "build", "--profile=dev", "--locked", "--out", str(folder / "out")],
        cwd=PACKAGE,
        env={**os.environ, "CARGO": str(cargo), "PATH": path},
        check=True,
    )
    (built,) = (folder / "out").iterdir()
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """A virtual environment with the wheel and nothing else; no network is needed."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin/python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", "--no-index", str(wheel)], check=True)
    return folder / "bin"


def run(environment, folder, *words, **variables):
    own = {name: value for name, value in os.environ.items() if name not in ("FAIRTRIAL_BIN", "PYTHONPATH")}
    own["PATH"] = f"{environment}{os.pathsep}/usr/bin{os.pathsep}/bin"
    ended = subprocess.run(
        [str(environment / words[0]), *words[1:]], cwd=folder, env={**own, **variables}, capture_output=True, text=True
    )
    assert ended.returncode == 0, f"{words}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout + ended.stderr


def test_the_wheel_is_one_for_all_pythons_and_holds_everything(wheel):
    assert "-py3-none-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for end in ("scripts/fairtrial", "fairtrial/py.typed", "licenses/LICENSE-MIT", "fairtrial.cyclonedx.json"):
        assert any(name.endswith(end) for name in names), end
    assert not any("tests/" in name or "__pycache__" in name for name in names)


def test_the_command_and_the_module_are_one(environment, tmp_path):
    version = run(environment, tmp_path, "fairtrial", "--version")
    assert version == run(environment, tmp_path, "python", "-m", "fairtrial", "--version")
    assert run(
        environment, tmp_path, "python", "-c", "import fairtrial; print('fairtrial', fairtrial.__version__)"
    ) == version


def test_demo_an_experiment_and_a_notebook_run(environment, tmp_path):
    assert "improved" in run(environment, tmp_path, "fairtrial", "demo")
    (tmp_path / "mine.py").write_text(
        "import fairtrial as ft\n@ft.register_experiment('mine')\nclass Mine(ft.Experiment):\n"
        "    def execute_once(self, context):\n        return {'value': 2}\n"
    )
    spec = {"experiment": "mine", "processes": 2, "iterations": {"measured": 2}}
    spec["experiments"] = {"python": ["mine"], "interpreter": str(environment / "python")}
    (tmp_path / "mine.json").write_text(json.dumps(spec))
    run(environment, tmp_path, "fairtrial", "run", "mine.json")
    code = "import fairtrial as ft; print(ft.load('mine', 'rows')[1]['value'])"
    assert run(environment, tmp_path, "python", "-c", code) == "2.0\n"
    notebook = PACKAGE.parent / "examples/notebook/experiment.ipynb"
    execute = (
        "import nbformat, sys\nfrom nbclient import NotebookClient\n"
        "book = nbformat.read(sys.argv[1], 4)\nNotebookClient(book, timeout=None).execute()\n"
        "print([output['data']['text/plain'] for output in book.cells[5].outputs])"
    )
    # The kernel's packages are those of the tests; Fairtrial is the one that was installed.
    kernel = {"PYTHONPATH": sysconfig.get_path("purelib"), "JUPYTER_PATH": f"{sys.prefix}/share/jupyter"}
    assert "after: improved" in run(environment, tmp_path, "python", "-c", execute, str(notebook), **kernel)
