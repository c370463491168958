"""The example notebook, executed by a real kernel."""

from pathlib import Path

import nbformat
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
