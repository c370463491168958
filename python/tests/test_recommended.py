"""The original's recommended configuration, with the database kept for analysis."""

import sqlite3
from types import SimpleNamespace

import pytest

from fairtrial import config_helper


def test_the_simulations_database_can_be_analysed(project):
    arguments = ("--steps", "7", "--agents", "10", "--output", "my_results")
    said = project.python("-m", "fairtrial.run_with_recommended_config", *arguments)
    file = said.split("The simulation's database is ", 1)[1].strip()
    assert file.startswith(str(project.path))
    with sqlite3.connect(file) as database:
        assert database.execute("select count(*) from agents").fetchone() == (10,)
        assert database.execute("select count(distinct step) from agent_states").fetchone() == (7,)
    assert list(project.path.glob("my_results/*/artifacts/simulation.db"))


def test_a_configuration_of_ones_own_is_completed():
    config = config_helper.configure_for_performance_with_persistence(SimpleNamespace(width=3))
    assert config == SimpleNamespace(width=3, use_in_memory_db=True, persist_db_on_completion=True)
    made = config_helper.get_recommended_config(num_agents=11, additional_params={"width": 5})
    assert (made.system_agents, made.control_agents, made.width) == (3, 5, 5)
    with pytest.raises(AttributeError, match="no 'widht'"):
        config_helper.get_recommended_config(additional_params={"widht": 5})
