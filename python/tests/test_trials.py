"""Scripts that log: the same inside of a trial and by hand."""

import fairtrial as ft

SCRIPT = """
import fairtrial as ft

@ft.trial(rate=0.5)
def main(t, extra=0):
    for step in range(3):
        t.log(step, reward=step * t.params["rate"])
    print("seed", t.seed, "inside", t.inside, "rate", t.params["rate"], main.__name__)
    return {"final": 1.0 + extra}

with ft.trial(seed=9) as t:
    t.log(elsewhere=2)
assert main(extra=1) == {"final": 2.0}
"""
SPEC = """
name = "script"
seeds = [5]
command = ["python3", "script.py"]
[arms.slow]
rate = 0.25
[arms.fast]
rate = 2
[metrics.reward]
direction = "up"
summary = "max"
[metrics.final]
direction = "up"
"""


def test_a_script_logs_inside_of_a_trial_and_does_nothing_outside(project):
    project.write("script.py", SCRIPT)
    assert "seed 0 inside False rate 0.5 main" in project.python("script.py")
    project.write("spec.toml", SPEC)
    project.write("run.py", "import fairtrial as ft\nassert ft.run('spec.toml').ok\n")
    project.python("run.py")
    rows = {row["arm"]: row for row in ft.load("script", "rows")}
    assert {arm: row["reward"] for arm, row in rows.items()} == {"slow": 0.5, "fast": 4.0}
    assert all(row["final"] == 2.0 and row["elsewhere"] == 2.0 for row in rows.values())
    log = project.python("-m", "fairtrial", "logs", "script", "--trial", "1")
    assert "seed 5 inside True" in log


OTHERS = """
import asyncio
import fairtrial as ft

@ft.trial
async def later(t, n):
    return {"later": t.seed + n}

class Agent:
    @ft.trial(rate=0.5)
    def train(self, t, n=1):
        return {"rate": t.params["rate"] * n, "same": self is agent}

agent = Agent()
print(asyncio.run(later(2)), agent.train(n=4))
"""


def test_coroutines_and_methods_log_what_they_return(project):
    project.write("others.py", OTHERS)
    assert "{'later': 2} {'rate': 2.0, 'same': True}" in project.python("others.py")
    project.write("spec.toml", 'name = "others"\nseeds = [5]\ncommand = ["python3", "others.py"]\n')
    project.write("run.py", "import fairtrial as ft\nassert ft.run('spec.toml').ok\n")
    project.python("run.py")
    (row,) = ft.load("others", "rows")
    assert (row["later"], row["rate"], row["same"]) == (7.0, 2.0, 1.0)


def test_a_bare_decorator_works_too(project):
    @ft.trial
    def main(t):
        return t.inside

    assert main() is False


SAVING = """
import os, sys
import fairtrial as ft

t = ft.trial()
state = os.path.join(t.checkpoint, "state")
began = os.path.exists(state)
with open(state, "w") as file:
    file.write("saved")
if not began:
    sys.exit(1)
t.log(attempt=t.attempt)
"""


def test_a_script_finds_its_checkpoint_in_the_next_attempt(project):
    assert ft.trial().checkpoint is None
    assert ft.trial().attempt == 1
    project.write("script.py", SAVING)
    spec = 'name = "script"\nseeds = [5]\ncommand = ["python3", "script.py"]\n'
    project.write("spec.toml", spec + 'checkpoint = true\nretries = { failed = 1 }\n[metrics.attempt]\ndirection = "up"\n')
    project.write("run.py", "import fairtrial as ft\nassert ft.run('spec.toml').ok\n")
    project.python("run.py")
    (row,) = ft.load("script", "rows")
    assert row["attempt"] == 2
