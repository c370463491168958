"""Result files, for reporters and notebooks."""

import json
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List


@dataclass
class RunResult:
    """One result file. Keys that are not named here stand in `more`."""

    name: str = ""
    run_id: str = ""
    status: str = ""
    parameters: Dict[str, Any] = field(default_factory=dict)
    iterations: Dict[str, int] = field(default_factory=dict)
    metrics: Dict[str, Dict[str, float]] = field(default_factory=dict)
    iteration_metrics: List[Dict[str, Any]] = field(default_factory=list)
    environment: Dict[str, Any] = field(default_factory=dict)
    vcs: Dict[str, Any] = field(default_factory=dict)
    artifacts: List[Dict[str, str]] = field(default_factory=list)
    tags: List[str] = field(default_factory=list)
    notes: str = ""
    more: Dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str) -> "RunResult":
        """Reads a result file, of Fairtrial or of the framework it descends from."""
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        known = {entry.name for entry in fields(cls)} - {"more"}
        named = {key: value for key, value in data.items() if key in known}
        return cls(**named, more={key: value for key, value in data.items() if key not in known})
