"""`python -m fairtrial.run_with_recommended_config`: a simulation whose database is kept for analysis.

With `--measure`, the recommended configuration is compared with a database on the disk instead.
"""

import argparse
import os
import sys
from typing import List, Optional

from .config_helper import get_recommended_config, print_config_recommendations
from .results import RunResult
from .runs import Run, run

#: Pairs of processes of a comparison.
PAIRS = 12


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fairtrial.run_with_recommended_config", description=__doc__)
    parser.add_argument("--steps", type=int, default=100, help="steps of the simulation [100]")
    parser.add_argument("--agents", type=int, default=30, help="agents in it [30]")
    parser.add_argument("--output", default="simulation_results", help="folder of the results [simulation_results]")
    parser.add_argument("--measure", action="store_true", help="measure what the configuration brings here")
    given = parser.parse_args(arguments)
    if given.measure:
        made = measured(given)
        print(made.verdict())
        return 0 if made.ok else 1
    print_config_recommendations()
    print(f"The simulation's database is {simulated(given)}")
    return 0


def simulated(given: argparse.Namespace) -> str:
    """Runs the simulation once; gives the file of its database."""
    config = get_recommended_config(given.agents, given.steps)
    agents = config.system_agents + config.independent_agents + config.control_agents
    made = run(
        "memory_db",
        params={
            "num_agents": agents,
            "num_steps": config.simulation_steps,
            "storage": "memory_persist",
            "keep_database": config.persist_db_on_completion,
        },
        name="recommended_simulation",
        processes=1,
        iterations={"measured": 1},
        output_dir=given.output,
        quiet=True,
    )
    if not made.ok:
        sys.exit(f"{made!r}: `fairtrial logs {made.name}` shows what failed")
    return os.path.join(made.trial_dirs()[0], database_of(made.results[0]))


def database_of(result: RunResult) -> str:
    return next(file["path"] for file in result.artifacts if file["name"] == "simulation.db")


def measured(given: argparse.Namespace) -> Run:
    """The recommended configuration against a database on the disk, in turns."""
    return run(
        "memory_db",
        params={"num_agents": given.agents, "num_steps": given.steps},
        name="recommended_configuration",
        seeds=PAIRS,
        arms={"disk": {"storage": "disk"}, "memory_with_persistence": {"storage": "memory_persist"}},
        iterations={"warmup": 1, "measured": 3},
        metrics={"simulation_time": {"direction": "down", "unit": "s", "margin": "5%"}},
        analysis={"control": "disk", "metric": "simulation_time"},
        output_dir=given.output,
    )


if __name__ == "__main__":
    sys.exit(main())
