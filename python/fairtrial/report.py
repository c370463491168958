"""Runs a custom reporter: `python -m fairtrial.report [--path FOLDER] MODULE:FUNCTION OUTPUT_DIR RESULT.json...`.

A reporter is any function of the results and the output folder.
"""

import importlib
import sys
from typing import List

from .results import RunResult


def main(arguments: List[str]) -> int:
    if arguments[:1] == ["--path"]:
        sys.path.insert(0, arguments[1])
        arguments = arguments[2:]
    if len(arguments) < 2 or ":" not in arguments[0]:
        print("expected MODULE:FUNCTION OUTPUT_DIR RESULT.json...", file=sys.stderr)
        return 2
    module, _, function = arguments[0].partition(":")
    reporter = getattr(importlib.import_module(module), function)
    reporter([RunResult.load(path) for path in arguments[2:]], arguments[1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
