"""Files of a project as they were: those of a revision, and those that were kept beside a baseline."""

import os
import shutil
import subprocess
from typing import List, Optional

from .specs import FOLDER, file_name, ignore_all


class TreeError(RuntimeError):
    """Files of another time cannot be had; the message says why."""


def checked_out(rev: str, home: str) -> str:
    """The files of a revision, beside those of the project; made once for a commit."""
    about = f"--fairtrial-rev {rev}"
    commit = git(about, home, "rev-parse", "--verify", f"{rev}^{{commit}}").strip()
    top = git(about, home, "rev-parse", "--show-toplevel").strip()
    folder = own_folder(home, "revisions", commit)
    if not os.path.isdir(folder):
        half = f"{folder}.{os.getpid()}"
        os.makedirs(half)
        archive = subprocess.Popen(["git", "-C", top, "archive", commit], stdout=subprocess.PIPE)
        unpacked = subprocess.run(["tar", "-x", "-C", half], stdin=archive.stdout)
        if archive.wait() != 0 or unpacked.returncode != 0:
            raise TreeError(f"{about}: its files could not be unpacked to {half}")
        os.replace(half, folder)
    return os.path.normpath(os.path.join(folder, os.path.relpath(home, top)))


def keep_files(name: str, home: str) -> None:
    """Keeps the files as they are now, committed or not, without those that git ignores. Where there is no git, none are."""
    try:
        top = git("", home, "rev-parse", "--show-toplevel").strip()
    except TreeError:
        return
    folder = own_folder(home, "baselines", file_name(name))
    half = f"{folder}.{os.getpid()}"
    # Where the project lies in its repository is needed to find it again.
    below = os.path.relpath(home, top)
    for file in listed(top):
        to = os.path.join(half, "files", file)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy2(os.path.join(top, file), to, follow_symlinks=False)
    os.makedirs(half, exist_ok=True)
    with open(os.path.join(half, "home"), "w", encoding="utf-8") as opened:
        opened.write(below)
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(half, folder)


def kept_files(name: str, home: str) -> Optional[str]:
    """The files that were kept; None where there are only times."""
    folder = own_folder(home, "baselines", file_name(name))
    try:
        with open(os.path.join(folder, "home"), encoding="utf-8") as opened:
            return os.path.normpath(os.path.join(folder, "files", opened.read()))
    except OSError:
        return None


def own_folder(home: str, *below: str) -> str:
    """A folder among those that git ignores: what lies there is no part of the project."""
    own = os.path.join(home, FOLDER)
    os.makedirs(own, exist_ok=True)
    ignore_all(own)
    return os.path.join(own, *below)


def listed(top: str) -> List[str]:
    """Files that git knows, and new ones that it does not ignore; a deleted one and a repository inside are none."""
    names = git("", top, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    paths = ((name, os.path.join(top, name)) for name in sorted({*names} - {""}))
    return [name for name, path in paths if os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))]


def git(about: str, folder: str, *words: str) -> str:
    try:
        ended = subprocess.run(
            ["git", "-C", folder, *words], capture_output=True, encoding="utf-8", errors="surrogateescape"
        )
    except OSError as error:
        raise TreeError(f"{about}: git cannot be started: {error}") from None
    if ended.returncode != 0:
        raise TreeError(f"{about}: {ended.stderr.strip()}")
    return ended.stdout
