"""Lists what a module registers by importing it: in a process of its own, for a limited time and without a word on the screen."""

import contextlib
import importlib
import json
import subprocess
import sys
from typing import Any, Dict, List

#: Seconds that an import may take.
LIMIT = 30


def offered(module: str) -> Dict[str, List[Dict[str, Any]]]:
    """Asks another process; raises `RuntimeError` where it cannot say."""
    command = [sys.executable, "-m", "fairtrial.imported", module, *sys.path]
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"its import took longer than {LIMIT} s") from None
    if ended.returncode != 0:
        said = ended.stderr.strip().splitlines()
        raise RuntimeError(said[-1] if said else f"its import ended with {ended.returncode}")
    return json.loads(ended.stdout)


def main(module: str, path: List[str]) -> int:
    from .discover import described
    from .registry import EXPERIMENTS, INSTRUMENTS
    from .wire import plain

    sys.path[:] = path
    with contextlib.redirect_stdout(sys.stderr):
        importlib.import_module(module)
    experiments = [described(slug, cls) for slug, cls in EXPERIMENTS.items()]
    print(plain({"experiments": experiments, "instruments": [{"name": name} for name in INSTRUMENTS]}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
