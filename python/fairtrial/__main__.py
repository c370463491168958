"""`python -m fairtrial`: the command itself."""

import os
import sys

from .command import FairtrialError, program


def main() -> None:
    try:
        command = program()
    except FairtrialError as error:
        sys.exit(f"error: {error}")
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
