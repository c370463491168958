"""The worker's end of the protocol: `python -m fairtrial.worker --path FOLDER MODULE` with a socket as standard input."""

import importlib
import os
import platform
import signal
import socket
import stat
import sys
import threading
import traceback
from contextlib import ExitStack, nullcontext
from time import perf_counter_ns, process_time_ns
from typing import Any, Callable, Dict, List, Optional

from . import __version__
from .experiments import Experiment, ExperimentContext
from .profile import profiled
from .memory import memory_of
from .pace import PACE_EVERY_NS, pace_ns
from .registry import EXPERIMENTS, INSTRUMENTS
from .seeds import seed_all
from .wire import metric, plain, reported

PROTOCOL = 1
#: Around an iteration that no instrument observes.
UNOBSERVED: Any = nullcontext()


class Ended(BaseException):
    """The trial is being ended: not an `Exception`, so that an experiment does not swallow it by accident."""


def take_socket() -> Optional[socket.socket]:
    """The driver's socket; standard input becomes empty, so that nobody else reads the driver's words."""
    if not stat.S_ISSOCK(os.fstat(0).st_mode):
        return None
    driver = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return driver


class Worker:
    """Answers requests until the driver goes away."""

    def __init__(self, driver: socket.socket, module: str):
        self.driver = driver
        self.requests = driver.makefile("rb")
        self.module = module
        self.experiment: Optional[Experiment] = None
        self.context = ExperimentContext()
        self.observers: List[Any] = []
        self.profile: Optional[Dict[str, Any]] = None
        self.memory = False
        self.slug = ""
        self.owes_teardown = False
        #: Whether an iteration is running: what it tells waits until the clock has been read.
        self.timed = False
        self.held: List[Dict[str, Any]] = []
        #: Threads of the experiment may tell things too: a line is written whole, and none is held back and forgotten.
        self.lock = threading.RLock()

    def serve(self) -> None:
        import json

        answers = {
            "describe": self.describe,
            "setup": self.setup,
            "iterate": self.iterate,
            "teardown": self.teardown,
        }
        for line in self.requests:
            request = json.loads(line)
            answer = answers.get(request.pop("op", ""))
            if answer is None:
                self.say({"event": "error", "message": "the request is not understood"})
            else:
                answer(**request)

    def say(self, reply: Dict[str, Any]) -> None:
        self.write(plain(reply))

    def answer(self, reply: Dict[str, Any]) -> None:
        """Says what holds values of the experiment, which JSON may not take."""
        try:
            line = plain(reply)
        except Exception as error:
            return self.fail(error)
        self.write(line)

    def write(self, line: str) -> None:
        # Words of the experiment may hold half characters, which no line can: they are for people, a `?` does.
        self.send((line + "\n").encode(errors="replace"))

    def send(self, line: bytes) -> None:
        with self.lock:
            self.driver.sendall(line)

    def tell(self, reply: Dict[str, Any]) -> None:
        with self.lock:
            if self.timed:
                self.held.append(reply)
            else:
                self.say(reply)

    def release(self) -> None:
        with self.lock:
            self.timed = False
            held, self.held = self.held, []
            for reply in held:
                self.say(reply)

    def fail(self, error: BaseException, index: Optional[int] = None) -> None:
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        reply: Dict[str, Any] = {"event": "error", "message": message, "trace": trace}
        if index is not None:
            reply["index"] = index
        self.say(reply)

    def describe(self, protocol: int = PROTOCOL) -> None:
        from .discover import described

        try:
            importlib.import_module(self.module)
        except Exception as error:
            return self.fail(error)
        experiments = [described(slug, cls) for slug, cls in EXPERIMENTS.items()]
        instruments = [{"name": name} for name in INSTRUMENTS]
        self.answer(
            {
                "event": "described",
                "protocol": PROTOCOL,
                "experiments": experiments,
                "instruments": instruments,
            }
        )

    def setup(self, protocol: int, experiment: str, params: Dict[str, Any], **place: Any) -> None:
        try:
            if protocol != PROTOCOL:
                raise RuntimeError(
                    f"the driver speaks version {protocol} of the protocol, this worker {PROTOCOL}"
                )
            importlib.import_module(self.module)
            cls = EXPERIMENTS.get(experiment)
            if cls is None:
                raise LookupError(f"{self.module} registers no experiment {experiment!r}")
            self.slug = experiment
            self.place(**place)
            params = completed(cls, params)
            self.experiment = cls(**params)
            self.owes_teardown = True
            around = getattr(self.experiment, "around", None)
            if around is not None:
                # It can only be executed from inside of something else: the requests are answered from there.
                around(self.context, lambda: self.serve_inside(params))
                raise Ended
            self.experiment.setup(self.context)
        except Exception as error:
            return self.fail(error)
        self.ready(params)

    def serve_inside(self, params: Dict[str, Any]) -> None:
        self.ready(params)
        self.serve()

    def ready(self, params: Dict[str, Any]) -> None:
        shown = getattr(self.experiment, "params", None)
        # Arguments that were given, over what the experiment itself keeps.
        complete = {**(shown if isinstance(shown, dict) else {}), **params}
        self.answer({"event": "ready", "params": complete, "versions": versions()})

    def place(
        self,
        seed: int,
        run: str,
        trial: str,
        dir: str,
        output_dir: str,
        instruments: List[Dict[str, Any]],
        **_: Any,
    ) -> None:
        self.context = ExperimentContext(
            run_id=run,
            trial=trial,
            output_dir=output_dir,
            run_dir=dir,
            seed=seed,
            instruments=[instrument["name"] for instrument in instruments],
            _tell=self.tell,
        )
        for instrument in instruments:
            name, options = instrument["name"], instrument.get("options") or {}
            if name == "cprofile":
                self.profile = options
            elif name == "memory" and name not in INSTRUMENTS:
                self.memory = True
            elif name in INSTRUMENTS:
                self.observers.append((INSTRUMENTS[name], options))
        seed_all(seed)

    def iterate(self, phase: str, first: int, count: int, inner: Optional[int] = None) -> None:
        if self.experiment is None:
            return self.say({"event": "error", "message": "`iterate` before `setup`"})
        if phase == "profiled":
            return self.iterate_profiled(first, count)
        measured = phase == "measured"
        execute, context = self.experiment.execute_once, self.context
        if inner is not None:
            execute = repeated(execute, inner)
        inside = "" if inner is None else f',"inner":{inner}'
        observed = self.observers if measured else []
        paced = -PACE_EVERY_NS
        end = perf_counter_ns()
        for index in range(first, first + count):
            context.iteration_index = index if measured else None
            notes: Dict[str, Any] = {}
            pace = ""
            if measured and end - paced >= PACE_EVERY_NS:
                pace = f',"pace_ns":{pace_ns()}'
                paced = end
            failure: Optional[BaseException] = None
            self.timed = True
            try:
                with ExitStack() if observed else UNOBSERVED as around:
                    try:
                        for instrument, options in observed:
                            around.enter_context(instrument(notes, **options))
                        cpu = process_time_ns()
                        start = perf_counter_ns()
                        metrics = execute(context)
                        end = perf_counter_ns()
                        cpu = process_time_ns() - cpu
                    except BaseException as error:
                        # An instrument may swallow it; the iteration has failed all the same.
                        failure = error
                        raise
            except Exception as error:
                failure = error
            if isinstance(failure, Exception):
                self.release()
                return self.fail(failure, index)
            if failure is not None:
                raise failure
            self.release()
            line = (
                f'{{"event":"sample","index":{index},"start_ns":{start},'
                f'"wall_ns":{end - start},"cpu_ns":{cpu}{inside}{pace}'
            )
            try:
                if metrics is not None and not isinstance(metrics, dict):
                    kind = type(metrics).__name__
                    raise TypeError(f"execute_once returned {kind}, not a dict")
                if metrics:
                    line += f',"metrics":{reported(metrics)}'
                if notes:
                    line += f',"instruments":{plain(notes, metric)}'
                whole = (line + "}\n").encode()
            except Exception as error:
                return self.fail(error, index)
            self.send(whole)
        context.iteration_index = None
        self.say({"event": "done"})

    def iterate_profiled(self, first: int, count: int) -> None:
        folder = os.path.join(self.context.run_dir, "artifacts")
        for index in range(first, first + count):
            stem = os.path.join(folder, f"{self.slug}_iter{index:03}")
            try:
                work = lambda: self.experiment.execute_once(self.context)  # noqa: E731
                if self.profile is not None:
                    for file in profiled(work, stem, int(self.profile.get("top_n", 30))):
                        self.say({"event": "artifact", **file})
                if self.memory and index == first:
                    self.say({"event": "finding", "instrument": "memory", **memory_of(work)})
            except Exception as error:
                return self.fail(error, index)
        self.say({"event": "done"})

    def teardown(self) -> None:
        self.owes_teardown = False
        try:
            if self.experiment is not None:
                self.experiment.teardown(self.context)
        except Exception as error:
            return self.fail(error)
        self.say({"event": "done"})

    def abandon(self) -> None:
        """The driver is gone, or the trial is being ended: what was set up is torn down all the same."""
        if self.owes_teardown and self.experiment is not None:
            self.owes_teardown = False
            self.experiment.teardown(self.context)


def repeated(execute: Callable[[Any], Any], times: int) -> Callable[[Any], Any]:
    """Several executions as one; what the last returns counts."""

    def run(context: Any) -> Any:
        for _ in range(times - 1):
            execute(context)
        return execute(context)

    return run


def completed(cls: Any, params: Dict[str, Any]) -> Dict[str, Any]:
    """The parameters with the schema's defaults, single values of list parameters as lists."""
    from .discover import schema_of

    complete = dict(params)
    for name, rule in (schema_of(cls).get("properties") or {}).items():
        if name not in complete and "default" in rule and cls.param_schema:
            complete[name] = rule["default"]
        if rule.get("type") in ("array", "list") and name in complete:
            value = complete[name]
            complete[name] = list(value) if isinstance(value, (list, tuple)) else [value]
    return complete


def versions() -> Dict[str, str]:
    """Python, this SDK, and every loaded package that says its version."""
    found = {"python": platform.python_version(), "fairtrial_sdk": __version__}
    builtin = getattr(sys, "stdlib_module_names", ())
    for name, module in list(sys.modules.items()):
        version = getattr(module, "__version__", None)
        if "." not in name and name not in builtin and isinstance(version, str):
            found.setdefault(name, version)
    found.pop("fairtrial", None)
    return found


def end(signal_number: int, _: Any) -> None:
    raise Ended(signal_number)


def main(arguments: List[str]) -> int:
    path = None
    if arguments[:1] == ["--path"]:
        path, arguments = arguments[1], arguments[2:]
    driver = take_socket()
    if driver is None or len(arguments) != 1:
        print("this is the worker of `fairtrial run`; it is not started by hand", file=sys.stderr)
        return 2
    if path and path not in sys.path:
        sys.path.insert(0, path)
    worker = Worker(driver, arguments[0])
    signal.signal(signal.SIGTERM, end)
    try:
        worker.serve()
    except (Ended, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        worker.abandon()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
