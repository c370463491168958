"""The spec of an experiment that is given as a class, and the module that the worker finds it in.

Both are written to `.fairtrial/` beside the project's data folder, so that the run can be resumed from a terminal too.
"""

import json
import os
import re
import site
import sys
import sysconfig
from typing import Any, Dict, List, Mapping, Tuple

from .discover import first_line, schema_of
from .experiments import Experiment
from .registry import ABOUT, EXPERIMENTS, METRICS
from .wire import plain

FOLDER = ".fairtrial"


def written(what: Any, given: Mapping[str, Any]) -> str:
    """Writes the spec and gives its file. `what` is a class, or the slug of one (or of a built-in experiment)."""
    cls = EXPERIMENTS.get(what, what) if isinstance(what, str) else what
    spec: Dict[str, Any] = dict(given)
    modules: Dict[str, str] = {}
    if isinstance(cls, str):
        slug = cls
    elif isinstance(cls, type) and issubclass(cls, Experiment):
        slug = next((slug for slug, known in EXPERIMENTS.items() if known is cls), cls.__name__)
        name = "experiment_" + re.sub(r"\W", "_", slug)
        modules[name] = registering(cls, slug)
        sources = dict(spec.get("experiments") or {})
        spec["experiments"] = {
            **sources,
            "python": [name, *sources.get("python", [])],
            "interpreter": sources.get("interpreter", sys.executable),
        }
        spec["env"] = {"PYTHONPATH": os.pathsep.join(own_path()), **(spec.get("env") or {})}
    else:
        raise TypeError(f"a spec's file, an Experiment class or a slug can be run, not {what!r}")
    spec.setdefault("name", slug)
    spec["experiment"] = slug
    from .runs import data_root

    folder = own_folder(data_root())
    os.makedirs(folder, exist_ok=True)
    ignore_all(folder)
    for name, source in modules.items():
        replace(os.path.join(folder, name + ".py"), source)
    file = os.path.join(folder, file_name(str(spec["name"])) + ".json")
    # Numbers of other libraries and NaN are written as the command reads them.
    replace(file, json.dumps(json.loads(plain(spec)), indent=1, ensure_ascii=False) + "\n")
    return file


def own_folder(root: str) -> str:
    """Where it is written: beside the data of a project, and inside of a data root that was put elsewhere.

    What lies beside `FAIRTRIAL_DATA=/data` is not ours.
    """
    above, name = os.path.split(os.path.normpath(root))
    in_project = name == "data" and (above == os.getcwd() or os.path.exists(os.path.join(above, ".git")))
    if os.environ.get("FAIRTRIAL_DATA") and not in_project:
        return os.path.join(root, FOLDER)
    return os.path.join(above, FOLDER)


def ignore_all(folder: str) -> None:
    """What is written there is no change of the project."""
    replace(os.path.join(folder, ".gitignore"), "*\n")


def file_name(name: str) -> str:
    """A name of the user's as that of a file."""
    return re.sub(r"[^\w.-]", "_", name)


def replace(file: str, text: str) -> None:
    """Writes a file whole or not at all; one that is the same stays as it is."""
    try:
        with open(file, encoding="utf-8") as opened:
            if opened.read() == text:
                return
    except OSError:
        pass
    with open(f"{file}.{os.getpid()}", "w", encoding="utf-8") as opened:
        opened.write(text)
    os.replace(opened.name, file)


def own_path() -> List[str]:
    """Where Python looks for modules here, besides what is installed: the worker looks there too."""
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*map(sysconfig.get_path, kinds), *site.getsitepackages(), site.getusersitepackages()]
    # A folder whose name begins the same is another one.
    installed = tuple(os.path.join(os.path.abspath(folder), "") for folder in folders)
    places = (os.path.abspath(place) for place in sys.path)
    # What is not there may also be the mark of a finder, or the archive that Python looks for beside its library.
    return [place for place in places if os.path.exists(place) and not os.path.join(place, "").startswith(installed)]


def registering(cls: type, slug: str) -> str:
    """A module that registers the class, with its parameters written out: they can be checked without importing it."""
    definitions, original = defined_by(cls)
    schema = literal(schema_of(cls))
    given = declared(slug) if EXPERIMENTS.get(slug) is cls else ""
    return (
        f'"""Registers `{cls.__qualname__}`; written by `fairtrial.run`."""\n\n'
        f"from fairtrial import register_experiment\n\n{definitions}\n\n"
        f"@register_experiment({slug!r}{given})\nclass Registered({original}):\n    {first_line(cls.__doc__)!r}\n\n"
        f"    param_schema = {schema}\n"
    )


def declared(slug: str) -> str:
    """What was said about the experiment when it was registered, as arguments."""
    metrics = {about["name"]: {key: about[key] for key in about if key != "name"} for about in METRICS.get(slug, [])}
    given = {**ABOUT.get(slug, {}), "metrics": metrics}
    return "".join(f", {name}={literal(value)}" for name, value in given.items() if value)


def literal(value: Any) -> str:
    """A schema, or another value of JSON, as Python writes it."""
    return repr(json.loads(plain(value)))


def defined_by(cls: type) -> Tuple[str, str]:
    """What must stand before the class can be named, and its name there."""
    if "<locals>" in cls.__qualname__:
        raise TypeError(f"{cls.__qualname__} is defined inside of a function: the worker cannot find it there")
    if cls.__module__ != "__main__":
        return f"import {cls.__module__}", f"{cls.__module__}.{cls.__qualname__}"
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    from .cells import definitions_of, shell

    if script is None or shell() is not None:
        return definitions_of(cls.__name__), cls.__qualname__
    # `python -m package.module` says the whole name.
    module = getattr(main.__spec__, "name", None)
    if module in (None, "__main__"):
        module = os.path.splitext(os.path.basename(script))[0]
    if module == "__main__" or not all(part.isidentifier() for part in module.split(".")):
        raise TypeError(f"the worker cannot import {script}: `{module}` is no module's name")
    return f"import {module}", f"{module}.{cls.__qualname__}"
