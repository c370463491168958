"""The configuration for simulations whose database is analysed afterwards, under the original's names.

It works on any object with these attributes, and makes one where none is given.
"""

from types import SimpleNamespace
from typing import Any, Dict, Optional


def configure_for_performance_with_persistence(config: Any = None) -> Any:
    """Sets the database to be in memory while the simulation runs, with one copy on the disk at the end."""
    config = SimpleNamespace() if config is None else config
    config.use_in_memory_db = True
    config.persist_db_on_completion = True
    return config


def get_recommended_config(
    num_agents: int = 30, num_steps: int = 100, additional_params: Optional[Dict[str, Any]] = None
) -> SimpleNamespace:
    """A whole configuration; a name in `additional_params` that it does not have is an error."""
    third = num_agents // 3
    config = SimpleNamespace(
        width=100,
        height=100,
        system_agents=third,
        independent_agents=third,
        control_agents=num_agents - 2 * third,
        initial_resources=20,
        simulation_steps=num_steps,
    )
    for name, value in (additional_params or {}).items():
        if not hasattr(config, name):
            raise AttributeError(f"the configuration has no {name!r}; it has {', '.join(vars(config))}")
        setattr(config, name, value)
    return configure_for_performance_with_persistence(config)


def print_config_recommendations() -> None:
    """Says what is recommended, and how to see what it brings on this machine."""
    print(
        "For simulations whose database is analysed afterwards:\n\n"
        "    config.use_in_memory_db = True\n"
        "    config.persist_db_on_completion = True\n\n"
        "How much faster that is depends on the machine. To measure it on yours:\n\n"
        "    python -m fairtrial.run_with_recommended_config --measure\n"
    )
