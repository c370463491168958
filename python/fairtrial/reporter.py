"""Calls a reporter function with a report's data.

Fairtrial runs this file with ``module:function`` as its argument, the data as
JSON on standard input, and the output folder in ``FAIRTRIAL_OUTPUT``. It needs
nothing but Python's own library, and also works as ``python -m
fairtrial.reporter module:function``.

A reporter is a function of two arguments::

    def make_table(result, output_dir):
        with open(os.path.join(output_dir, "table.txt"), "w") as file:
            file.write(result["run"]["name"])
"""

import importlib
import json
import os
import sys


def main(arguments):
    """Finds the function and calls it; gives the exit code."""
    if len(arguments) != 1 or ":" not in arguments[0]:
        print("usage: reporter module:function", file=sys.stderr)
        return 2
    module_name, function_name = arguments[0].split(":", 1)
    # The user's modules are looked for where the spec is.
    sys.path.insert(0, os.getcwd())
    target = importlib.import_module(module_name)
    for part in function_name.split("."):
        target = getattr(target, part)
    target(json.load(sys.stdin), os.environ.get("FAIRTRIAL_OUTPUT", "."))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
