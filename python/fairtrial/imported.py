"""Lists what a module registers by importing it: in a process of its own, for a limited time and without a word on the screen."""

import importlib
import json
import os
import subprocess
import sys
import traceback
from typing import Any, Dict, List

#: Seconds that an import may take.
LIMIT = 30


def offered(module: str) -> Dict[str, List[Dict[str, Any]]]:
    """Asks another process; raises `RuntimeError` where it cannot say."""
    command = [sys.executable, "-m", "fairtrial.imported", module, *sys.path]
    quiet = subprocess.DEVNULL
    try:
        ended = subprocess.run(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"its import took longer than {LIMIT} s") from None
    try:
        answer = json.loads(ended.stdout)
    except ValueError:
        raise RuntimeError(f"its import ended Python, with {ended.returncode}") from None
    if "failed" in answer:
        raise RuntimeError(answer["failed"])
    return answer


def registered(module: str) -> Dict[str, Any]:
    """What a module registers, or why it cannot be imported."""
    from .discover import described
    from .registry import EXPERIMENTS, INSTRUMENTS

    try:
        importlib.import_module(module)
    except BaseException as error:
        # `sys.exit` in a module is a failure like any other.
        place = f" ({error.filename}:{error.lineno})" if isinstance(error, SyntaxError) else ""
        return {"failed": traceback.format_exception_only(type(error), error)[-1].strip() + place}
    experiments = [described(slug, cls) for slug, cls in EXPERIMENTS.items()]
    return {"experiments": experiments, "instruments": [{"name": name} for name in INSTRUMENTS]}


def main(module: str, path: List[str]) -> None:
    from .wire import plain

    sys.path[:] = path
    # What the module prints is no answer, nor what programs print that it starts.
    answer = os.dup(1)
    os.dup2(2, 1)
    text = plain(registered(module))
    with os.fdopen(answer, "w", encoding="utf-8") as out:
        out.write(text)
    # Threads that the module started are not waited for.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
