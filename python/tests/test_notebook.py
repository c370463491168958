"""The example notebook, executed by a real kernel."""

import threading
import time
from pathlib import Path

import nbformat
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

EXAMPLE = Path(__file__).parents[2] / "examples/notebook/experiment.ipynb"


def test_the_example_notebook_runs(project, monkeypatch):
    notebook = nbformat.read(EXAMPLE, as_version=4)
    NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(project.path)}}).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [[output.get("data", {}) for output in cell.outputs] for cell in cells]
    # The run's cell: its progress, drawn over and over in one place, then its summary.
    progress, summary = shown[2]
    assert "starting 12 of 12 trials" in progress["text/html"] and "[12/12]" in progress["text/html"]
    assert progress["text/html"].count("✓") == 1
    assert "<table>" in summary["text/html"] and "12 ok of 12" in summary["text/plain"]
    (verdict,) = shown[3]
    assert "after: improved" in verdict["text/plain"] and "improved</td>" in verdict["text/html"]
    assert "before" in shown[4][0]["text/plain"]
    # Of the cells, what the class needs: nothing that runs something.
    module = (project.path / ".fairtrial/experiment_Squares.py").read_text()
    assert "def squares" in module and "REPEATS = 3" in module and "ft.run(" not in module


SLOW = """
import fairtrial as ft, os, time

class Slow(ft.Experiment):
    def execute_once(self, context):
        time.sleep(0 if os.path.exists("go") else 3)
        return {"v": context.seed}

def again(**more):
    return ft.run(Slow, processes=4, iterations={"warmup": 0, "measured": 1}, **more)
"""


def test_the_stop_button_leaves_a_run_that_is_resumed(project):
    manager, client = start_new_kernel(cwd=str(project.path))

    def cell(source):
        said = []
        reply = client.execute_interactive(source, output_hook=said.append, timeout=120)
        shown = [message["content"] for message in said if message["msg_type"] == "execute_result"]
        return reply["content"], [content["data"]["text/plain"] for content in shown]

    def stop():
        # Not before a trial has begun.
        while not list(project.path.glob("data/runs/*")):
            time.sleep(0.05)
        manager.interrupt_kernel()

    try:
        assert cell(SLOW)[0]["status"] == "ok"
        threading.Thread(target=stop, daemon=True).start()
        ended, _ = cell("again()")
        assert ended["ename"] == "Interrupted" and "resume=True" in ended["evalue"], ended
        project.write("go", "")
        _, shown = cell("made = again(resume=True)\nmade.ok, made.json['trials'], made.json['kept'] >= 1")
        assert shown == ["(True, 4, True)"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
