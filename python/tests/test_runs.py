"""Runs, verdicts and tables from Python, by the real command."""

import os
import signal
import time

import pytest
from conftest import ARMS

import fairtrial as ft

MODULE = """
import fairtrial as ft
from numbers_of import first

class Sums(ft.Experiment):
    '''Sums.'''
    def __init__(self, size: int = 10, sizes: list = ()):
        super().__init__({"size": size, "sizes": list(sizes)})

    def execute_once(self, context):
        return {"sum": sum(first(self.params["size"])), "seed": context.seed}

@ft.register_experiment("registered_sums")
class Registered(Sums):
    pass
"""
SCRIPT = (
    MODULE
    + """
if __name__ == "__main__":
    import sys
    options = {"reuse": "again" in sys.argv}
    made = ft.run(Sums, params={"size": 3}, processes=2, iterations={"measured": 2}, options=options)
    print("ran", made.json["ran"], [result.metrics["sum"]["mean"] for result in made.results])
"""
)


def test_a_class_of_a_script_is_run_and_its_code_is_part_of_the_run(project):
    project.write("numbers_of.py", "first = range\n")
    project.write("script.py", SCRIPT)
    assert "ran 2 [3.0, 3.0]" in project.python("script.py")
    assert "ran 0 " in project.python("script.py", "again")
    project.write("numbers_of.py", "def first(n):\n    return range(n + 1)\n")
    said = project.python("script.py", "again")
    assert "ran 2 [6.0, 6.0]" in said and "numbers_of.py" in said


def test_a_module_that_is_run_by_its_name_is_found_by_it(project):
    project.write("numbers_of.py", "first = range\n")
    # Imported in a script, not the shell that it runs in.
    project.write("IPython.py", "def get_ipython():\n    return None\n")
    project.write("pack/__init__.py", "")
    project.write("pack/script.py", "import IPython\n" + SCRIPT)
    assert "ran 2 [3.0, 3.0]" in project.python("-m", "pack.script")
    assert "import pack.script\n" in (project.path / ".fairtrial/experiment_Sums.py").read_text()


RATES = """
import fairtrial as ft

@ft.register_experiment("rates", summary="How fast.", tags=["quick"], metrics={"rows_per_s": {"unit": "1/s", "direction": "up"}})
class Rates(ft.Experiment):
    def __init__(self, lift: int = 0):
        super().__init__({"lift": lift})

    def execute_once(self, context):
        return {"rows_per_s": 100 + self.params["lift"] + context.seed % 7, "other": 1}
"""


def test_a_class_is_about_the_metrics_that_it_was_registered_with(project, monkeypatch):
    project.write("rates_of.py", RATES)
    monkeypatch.syspath_prepend(project.path)
    import rates_of

    arms = {"control": {"lift": 0}, "candidate": {"lift": 50}}
    made = ft.run(rates_of.Rates, arms=arms, seeds=7, iterations={"measured": 1}, quiet=True)
    verdict = made.verdict()
    assert [found.metric for found in verdict.findings if found.primary] == ["rows_per_s"]
    assert verdict.word == "improved"
    module = (project.path / ".fairtrial/experiment_rates.py").read_text()
    assert "summary='How fast.', tags=['quick'], metrics={'rows_per_s': {" in module


def test_what_is_written_lies_beside_the_data_of_a_project_or_in_a_data_root_elsewhere(project, monkeypatch):
    from fairtrial.specs import own_folder

    beside = os.path.join(os.getcwd(), ".fairtrial")
    assert own_folder(os.path.join(os.getcwd(), "data")) == beside
    monkeypatch.setenv("FAIRTRIAL_DATA", "named")
    assert own_folder(os.path.join(os.getcwd(), "data")) == beside
    assert own_folder("/data") == "/data/.fairtrial"


def test_the_worker_looks_where_this_process_looks_besides_what_is_installed(project, monkeypatch):
    import sysconfig

    from fairtrial.specs import own_path

    library = sysconfig.get_path("purelib")
    mine = project.path / "mine"
    mine.mkdir()
    # A folder of the project inside of Python's own, as `/usr/local/src` is.
    monkeypatch.setattr("sys.prefix", str(project.path))
    monkeypatch.setattr("sys.path", [str(mine), sysconfig.get_path("stdlib"), library, str(project.path / "not_there")])
    assert own_path() == [str(mine)]


def test_lines_are_read_also_where_they_cannot_be_shown():
    from fairtrial.command import relay

    def closed(line):
        raise ValueError("I/O operation on closed file")

    said = []
    relay(["a\n", "b\n"], said, closed)
    assert said == ["a", "b"]


def test_a_run_at_import_is_refused_instead_of_starting_itself(project):
    project.write("numbers_of.py", "first = range\n")
    project.write("script.py", MODULE + "\nft.run(Sums, processes=1, iterations={'measured': 1}, retries=0)\n")
    assert "1 failed of 1" in project.python("script.py")
    log = project.python("-m", "fairtrial", "logs", "Sums", "--stderr")
    assert "was called while the experiment's module was imported" in log


def test_classes_and_slugs_take_params_and_sweeps(project, monkeypatch):
    project.write("numbers_of.py", "first = range\n")
    project.write("sums_of.py", MODULE)
    monkeypatch.syspath_prepend(project.path)
    import sums_of

    made = ft.run(sums_of.Sums, sweep={"size": [3, 4]}, params={"sizes": [1, 2]}, seed=7, iterations={"measured": 1})
    assert made.ok and repr(made).endswith("finished, 2 ok of 2>")
    found = {result.parameters["size"]: result.metrics["sum"]["mean"] for result in made.results}
    assert found == {3: 3.0, 4: 6.0}
    assert all(result.parameters["sizes"] == [1, 2] for result in made.results)
    assert "<table>" in made._repr_html_()
    runner = ft.Runner(name="one", experiment=sums_of.Sums(5), output_dir="out", iterations_measured=2, seed=3)
    result = runner.run()
    assert (result.name, result.metrics["sum"]["mean"], result.metrics["seed"]["mean"]) == ("one", 10.0, 3.0)
    sweep = ft.SweepRunner(experiment_slug="registered_sums", base_params={"size": 2}, output_dir="out")
    assert [one.parameters["size"] for one in sweep.run_cartesian({"size": [2, 3]})] == [2, 3]
    assert len(sweep.run_random({"size": [1, 2, 3]}, samples=2)) == 2
    folders = [folder for folder in os.listdir("out") if os.path.exists(f"out/{folder}/{folder}.json")]
    files = [f"out/{folder}/{folder}.json" for folder in sorted(folders) if folder.startswith("registered")]
    assert ft.compare_results(files[0], files[1]).startswith("# Comparison")


def test_wrong_input_is_said_by_the_command(project):
    with pytest.raises(ft.FairtrialError, match="did you mean `num_agents`") as error:
        ft.run("memory_db", params={"num_agent": 3}, quiet=True)
    assert error.value.code == 2
    with pytest.raises(TypeError, match="an Experiment class"):
        ft.run(dict)


def test_a_verdict_has_its_word_its_numbers_and_a_table(project):
    project.write("arms.toml", ARMS)
    made = ft.run("arms.toml", seeds=7, metrics={"v": {"margin": 1}})
    assert made.json["trials"] == 14
    verdict = made.verdict()
    assert verdict.word == "improved" and verdict.words == {"candidate": "improved"}
    found = verdict["v"]
    assert (found.difference, found.interval, found.primary) == (40.0, (40.0, 40.0), True)
    page = verdict._repr_html_()
    assert "<td" in page and "improved" in page and made.stamp in page and made.stamp.replace("_", "\\_") not in page
    assert ft.compare("candidate", "control", run=made.dir).word == "regressed"
    with pytest.raises(KeyError, match="these were: v"):
        verdict["w"]
    with pytest.raises(ft.FairtrialError, match="no_such"):
        ft.compare("no_such", made)


def test_names_of_the_user_are_no_html():
    from fairtrial.display import as_html

    page = as_html("# a\\_b <script>\n\n| m\\|n | v |\n| --- | ---: |\n| `x<y` | **1** |\n\n<details>\n<summary>N</summary>\n- i & j\n</details>")
    assert page.splitlines() == [
        "<h4>a_b &lt;script&gt;</h4>",
        '<table><thead><tr><th style="text-align:left">m|n</th><th style="text-align:right">v</th></tr></thead><tbody>'
        '<tr><td style="text-align:left"><code>x&lt;y</code></td><td style="text-align:right"><b>1</b></td></tr></tbody></table>',
        "<details>",
        "<summary>N</summary>",
        "<ul><li>i &amp; j</li></ul>",
        "</details>",
    ]


def test_parameters_that_are_numbers_are_numbers_in_tables(project):
    project.write("numbers_of.py", "first = range\n")
    project.write("sums_of.py", MODULE)
    code = (
        "import fairtrial as ft, sums_of\n"
        "made = ft.run(sums_of.Sums, sweep={'size': [3, 40]}, processes=2, iterations={'measured': 1}, quiet=True)\n"
        "print(sorted(row['point.size'] for row in ft.load(made, 'rows')), ft.load(made, 'pandas')['point.size'].dtype)"
    )
    assert "[3, 3, 40, 40] int64" in project.python("-c", code)


def test_all_names_can_be_completed():
    assert {"run", "compare", "load", "Runner", "trial"} <= set(dir(ft))


def test_trials_load_as_pandas_polars_and_rows(project):
    project.write("arms.toml", ARMS)
    made = ft.run("arms.toml", quiet=True)
    rows = ft.load(made, "rows")
    assert len(rows) == 12 and {row["arm"] for row in rows} == {"control", "candidate"}
    pandas, polars = made.trials("pandas"), made.trials("polars")
    sums = pandas.groupby("arm")["v"].sum()
    assert sums["candidate"] - sums["control"] == 6 * 40
    assert polars["v"].sum() == pandas["v"].sum() == sum(row["v"] for row in rows)
    with pytest.raises(ValueError, match="not 'spark'"):
        ft.load(made, "spark")


SLOW = """
name = "slow"
seeds = 4
parallel = 1
command = ["sh", "-c", 'echo "{\\"v\\": 1}" >> $FAIRTRIAL_METRICS; [ -e go ] || sleep 3']
workdir = "."
[metrics.v]
direction = "up"
"""


def test_an_interrupted_run_is_resumed(project):
    project.write("slow.toml", SLOW)
    code = "import fairtrial as ft\ntry:\n    ft.run('slow.toml')\nexcept ft.Interrupted as end:\n    print(end.run.status, end)"
    process = project.start("-c", code)
    # Not before the run has begun.
    while not list(project.path.glob("data/runs/*")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate()
    assert process.returncode == 0 and "cancelled" in out and "resume=True" in out, out + said
    project.write("go", "")
    made = ft.run("slow.toml", resume=True, quiet=True)
    assert made.ok and made.json["kept"] >= 1 and made.json["trials"] == 4


def test_a_process_that_is_terminated_ends_its_run_first(project):
    project.write("slow.toml", SLOW)
    process = project.start("-c", "import fairtrial as ft\nft.run('slow.toml')")
    while not list(project.path.glob("data/runs/*")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    out, said = process.communicate()
    assert process.returncode == -signal.SIGTERM, out + said
    project.write("go", "")
    # It would be refused while somebody else controls the run.
    made = ft.run("slow.toml", resume=True, quiet=True)
    assert made.ok and made.json["trials"] == 4
