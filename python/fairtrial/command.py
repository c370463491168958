"""The `fairtrial` command, started from Python: where it is, what it answers, and how Ctrl-C reaches it."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

#: Exit code of a run that was interrupted.
INTERRUPTED = 130


class FairtrialError(RuntimeError):
    """The command could not answer; the message is its own."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.code = code


class Answer:
    """How the command ended, and the JSON it printed."""

    def __init__(self, code: int, text: str):
        self.code = code
        self.json: Any = json.loads(text) if text.strip() else None


def program() -> str:
    """The command's file: `FAIRTRIAL_BIN`, the one that was installed with this package, or the first on the path."""
    named = os.environ.get("FAIRTRIAL_BIN")
    if named:
        return named
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    found = shutil.which("fairtrial", path=os.pathsep.join([*folders, user])) or shutil.which("fairtrial")
    if found is None:
        raise FairtrialError(
            "the command `fairtrial` is not installed: `pip install fairtrial` brings it, "
            "or name its file in the variable FAIRTRIAL_BIN",
            3,
        )
    return found


def flags(options: Dict[str, Any]) -> List[str]:
    """Keyword arguments as the command's options: `fail_on=["regressed"]` is `--fail-on regressed`."""
    words: List[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                words.append(f"{flag}={one}")
    return words


def ask(arguments: Sequence[str]) -> Answer:
    """Asks a question that is answered at once. Wrong input and a machine that fails raise."""
    ended = run_through(arguments)
    return answered(ended.returncode, ended.stdout, ended.stderr)


def ask_for_text(arguments: Sequence[str]) -> str:
    """The same, where the answer is no JSON."""
    ended = run_through(arguments)
    if ended.returncode != 0:
        raise FairtrialError(ended.stderr.strip(), ended.returncode)
    return ended.stdout


def run_through(arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8"
    )


def ask_for_markdown(arguments: Sequence[str]) -> Tuple[Answer, str]:
    """The answer as JSON, and as the Markdown that the command writes for people."""
    with tempfile.TemporaryDirectory(prefix="fairtrial-") as folder:
        file = os.path.join(folder, "answer.md")
        answer = ask([arguments[0], "--json", f"--md={file}", *arguments[1:]])
        with open(file, encoding="utf-8") as opened:
            return answer, opened.read()


def attend(arguments: Sequence[str], show: Optional[Callable[[str], None]]) -> Answer:
    """Stays with a run. `show` gets every line that it says; without it they go where they always go.

    The run has a session of its own: Ctrl-C reaches this process alone, and is passed on. The first one lets the trials in
    flight finish, the second ends them. Either way the run can be resumed.
    """
    process = subprocess.Popen(
        [program(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if show is None else subprocess.PIPE,
        start_new_session=True,
        text=True,
        encoding="utf-8",
    )
    said: List[str] = []
    out: List[str] = []
    readers = [threading.Thread(target=lambda: out.append(process.stdout.read()), daemon=True)]  # type: ignore[union-attr]
    if show is not None:
        readers.append(threading.Thread(target=relay, args=(process.stderr, said, show), daemon=True))
    for reader in readers:
        reader.start()
    try:
        with termination_passed_on(process):
            wait(process)
            for reader in readers:
                reader.join()
    except BaseException:
        # A time limit of the caller, an exit: nobody is left to wait for the run.
        process.terminate()
        raise
    return answered(process.returncode, "".join(out), "\n".join(said))


def wait(process: "subprocess.Popen[str]") -> None:
    """Waits for the end; Ctrl-C is passed on."""
    while True:
        try:
            # Python hears signals between two waits only.
            process.wait(timeout=0.2)
            return
        except subprocess.TimeoutExpired:
            continue
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)


@contextlib.contextmanager
def termination_passed_on(process: "subprocess.Popen[str]") -> Iterator[None]:
    """A SIGTERM of this process ends the run first, and then does what it does otherwise."""
    before = signal.getsignal(signal.SIGTERM)
    # Only the main thread may listen; and who ignores it goes on doing so.
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    heard: List[int] = []

    def pass_on(number: int, _: Any) -> None:
        heard.append(number)
        process.send_signal(number)

    signal.signal(signal.SIGTERM, pass_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if heard:
            os.kill(os.getpid(), signal.SIGTERM)


def relay(lines: Any, said: List[str], show: Callable[[str], None]) -> None:
    """Reads to the end whatever `show` does: a run whose lines nobody takes would stand still."""
    for line in lines:
        said.append(line.rstrip("\n"))
        with contextlib.suppress(Exception):
            show(said[-1])


def answered(code: int, out: str, said: str) -> Answer:
    if out.strip() and code != 2:
        return Answer(code, out)
    if code in (INTERRUPTED, -signal.SIGINT):
        raise KeyboardInterrupt
    if code != 0:
        raise FairtrialError(said.strip() or f"fairtrial ended with {code}", code)
    return Answer(code, out)
